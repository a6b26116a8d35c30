/// A page of a channel's broadcasts, newest first.
public struct ChannelBroadcasts: Hashable, Sendable, Codable {
    /// The newest first; a page never ends between two of one block time.
    public var messages: [ChannelBroadcast]
    /// Whether there are older ones: ask with the last message's block time as `before`.
    public var hasMore: Bool
}

/// A broadcast as the KaChat apps read it.
public struct ChannelBroadcast: Hashable, Sendable, Codable {
    /// The transaction, 64 hex digits.
    public var transactionID: String
    /// The name that was asked for, as names are compared: trimmed, in lower case.
    public var channel: String
    /// The sender's address; empty while it is not known.
    public var sender: String
    /// The text as it stands on chain; bytes that are not UTF-8 are replaced.
    public var content: String
    /// The block's time, milliseconds since 1970.
    public var blockTime: UInt64

    private enum CodingKeys: String, CodingKey {
        case channel, content, blockTime
        case transactionID = "txId"
        case sender = "senderAddress"
    }
}
