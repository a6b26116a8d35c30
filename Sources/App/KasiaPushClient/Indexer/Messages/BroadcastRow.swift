/// A broadcast of a channel.
public struct BroadcastRow: OperationRow {
    /// The transaction, 64 hex digits.
    public var transactionID: String
    /// The sender's address; empty while it is not known.
    public var sender: String
    /// The channel's name as it was written.
    public var channel: String
    /// The block's time, milliseconds since 1970.
    public var blockTime: UInt64
    /// The accepting block, 64 hex digits; nil until the virtual chain has accepted the transaction.
    public var acceptingBlock: String?
    /// The accepting block's DAA score; nil as long as `acceptingBlock` is.
    public var acceptingDAAScore: UInt64?
    /// The body's bytes in hex.
    public var payload: String
    /// Its place in the list that it came in; nil for an operation that was asked for by itself.
    public var cursor: String?

    private enum CodingKeys: String, CodingKey {
        case sender, channel, cursor
        case transactionID = "tx_id"
        case blockTime = "block_time"
        case acceptingBlock = "accepting_block"
        case acceptingDAAScore = "accepting_daa_score"
        case payload = "message_payload"
    }
}
