public import Kaspa
public import Store

/// A delivery that a device may have missed: what its log has, and what the transaction's rows still say.
public struct MissedDelivery: Equatable, Sendable {
    /// What the log has.
    public var entry: DeliveryLogEntry
    /// Sompi: of a payment and of its correction, and of funds the sum that the device's watch-only addresses get.
    public var amount: UInt64?
    /// Of funds, the first of the device's watch-only addresses that is credited.
    public var address: Address?
    /// Of a group message, 32 bytes.
    public var blindedGroupID: [UInt8]?
    /// Whether it is a message to an inbox.
    public var isInbox = false

    init(_ entry: DeliveryLogEntry) {
        self.entry = entry
    }
}

/// A stretch of what a device may have missed.
public struct MissedPage: Equatable, Sendable {
    /// In the order of their numbers.
    public var deliveries: [MissedDelivery]
    /// The last `seq` given out; 0 before the first.
    public var latestSeq: UInt64
    /// The first `seq` that is kept; nil when none is.
    public var oldestSeq: UInt64?
}
