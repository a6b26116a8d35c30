/// Something that an address sent or received.
public struct ActivityItem: Hashable, Sendable, Codable, Identifiable {
    /// The transaction, 64 hex digits: items that come twice have the same.
    public var id: String
    /// What it is.
    public var type: ActivityType
    /// Which way it goes, seen from the address that was asked for.
    public var direction: ActivityDirection
    /// The address at the other end; nil when there is none, or it is not known.
    public var counterparty: String?
    /// Sompi that go to whom it is for; 0 for kinds that carry none.
    public var amount: UInt64
    /// Sompi that the sender paid to have it mined; nil where it is not known, as of what was never accepted.
    public var fee: UInt64?
    /// A payment's memo that anybody can read; nil for another one, none, or one of more than 2,048 bytes.
    public var memo: String?
    /// Any other body of a payment, in hex: what `SealedBody` and `MessageOpener` take.
    public var sealedMemo: String?
    /// How it stands in the chain.
    public var status: ActivityStatus
    /// The chain's growth since the acceptance; nil when not accepted.
    public var confirmations: UInt64?
    /// The block's time, milliseconds since 1970.
    public var blockTime: UInt64
    /// The accepting block's time, milliseconds since 1970; nil when not accepted, or not known.
    public var acceptedAt: UInt64?
    /// A page about the transaction; nil where there is no explorer.
    public var explorerURL: String?

    /// Makes an item that is not accepted yet.
    public init(
        id: String, type: ActivityType, direction: ActivityDirection, counterparty: String?, amount: UInt64,
        status: ActivityStatus = .pending, blockTime: UInt64
    ) {
        self.id = id
        self.type = type
        self.direction = direction
        self.counterparty = counterparty
        self.amount = amount
        self.status = status
        self.blockTime = blockTime
    }

    private enum CodingKeys: String, CodingKey {
        case id, type, direction, counterparty, amount, fee, memo, status, confirmations
        case sealedMemo = "sealed_memo"
        case blockTime = "block_time"
        case acceptedAt = "accepted_at"
        case explorerURL = "explorer_url"
    }
}
