/// A note that an address wrote to itself.
public struct SelfStashRow: OperationRow {
    /// The transaction, 64 hex digits.
    public var transactionID: String
    /// The owner's address; empty while it is not known.
    public var owner: String
    /// The scope in hex; empty when it has none.
    public var scope: String
    /// The block's time, milliseconds since 1970.
    public var blockTime: UInt64
    /// The accepting block, 64 hex digits; nil until the virtual chain has accepted the transaction.
    public var acceptingBlock: String?
    /// The accepting block's DAA score; nil as long as `acceptingBlock` is.
    public var acceptingDAAScore: UInt64?
    /// The note's bytes in hex.
    public var stashedData: String
    /// Its place in the list that it came in; nil for an operation that was asked for by itself.
    public var cursor: String?

    private enum CodingKeys: String, CodingKey {
        case owner, scope, cursor
        case transactionID = "tx_id"
        case blockTime = "block_time"
        case acceptingBlock = "accepting_block"
        case acceptingDAAScore = "accepting_daa_score"
        case stashedData = "stashed_data"
    }
}
