/// How a transaction stands at the moment of the question.
public struct TransactionStatus: Hashable, Sendable, Codable, Identifiable {
    /// The transaction, 64 hex digits.
    public var id: String
    /// What it is; nil when it is unknown.
    public var type: ActivityType?
    /// How it stands; `unknown` for one that the service never saw as an operation or an indexed transfer.
    public var status: ActivityStatus
    /// Sompi that the sender paid to have it mined; nil where it is not known, as of what was never accepted.
    public var fee: UInt64?
    /// The chain's growth since the acceptance; nil when not accepted.
    public var confirmations: UInt64?
    /// The block's time, milliseconds since 1970; nil when it is unknown.
    public var blockTime: UInt64?
    /// The accepting block's time, milliseconds since 1970; nil when not accepted, or not known.
    public var acceptedAt: UInt64?

    private enum CodingKeys: String, CodingKey {
        case id, type, status, fee, confirmations
        case blockTime = "block_time"
        case acceptedAt = "accepted_at"
    }
}

/// The body of `/v1/activity/refresh`.
struct RefreshBody: Encodable {
    let ids: [String]
}

/// The answer of `/v1/activity/refresh`.
struct TransactionStatuses: Decodable {
    let items: [TransactionStatus]
}
