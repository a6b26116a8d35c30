/// What shard 0 tells another one, in the order in which it came to be.
public struct ShardOrder: Equatable, Sendable {
    /// What is told; the numbers are stored.
    public enum Kind: Int16, Sendable {
        /// A device was registered, or its registration has changed.
        case registration = 1
        /// A device is gone, with all that waits for it.
        case removal = 2
        /// An event whose watcher lists name a device of the shard.
        case event = 3
    }

    /// What is told.
    public var kind: Kind
    /// The device's name; of an event nothing.
    public var key: [UInt8]
    /// `DeviceRecord` or `PushEvent`; of a removal nothing.
    public var record: [UInt8]

    /// Takes what is told.
    public init(_ kind: Kind, key: [UInt8] = [], record: [UInt8] = []) {
        self.kind = kind
        self.key = key
        self.record = record
    }
}

/// An order with its number in the sequence of its shard: from 1, without a gap.
public struct NumberedOrder: Equatable, Sendable {
    /// Where it stands.
    public var number: UInt64
    /// What is told.
    public var order: ShardOrder

    /// Takes a number and what is told.
    public init(number: UInt64, order: ShardOrder) {
        self.number = number
        self.order = order
    }
}

/// What another shard has found out about a device, for shard 0.
public struct ShardReport: Equatable, Sendable {
    /// What was found out; the numbers are stored.
    public enum Kind: Int16, Sendable {
        /// The carrier says that the token is gone.
        case gone = 1
        /// The token is good at an environment.
        case environment = 2
        /// The carrier has called the token invalid, as often as it may.
        case invalidToken = 3
        /// The carrier has never accepted the token, and refuses it.
        case neverAccepted = 4
    }

    /// What was found out.
    public var kind: Kind
    /// About which device.
    public var device: DeviceID
    /// Of a device to remove the registration as the shard had it; of an environment its number, one byte.
    public var record: [UInt8]

    /// Takes what was found out.
    public init(_ kind: Kind, _ device: DeviceID, record: [UInt8]) {
        self.kind = kind
        self.device = device
        self.record = record
    }
}

/// Where another shard reads what it is told.
public protocol OrderSource: Sendable {
    /// The next orders after a number, at most `limit`; waits for some, but no longer than `patience`.
    ///
    /// Errors: `StoreError`, after which the same may be asked again.
    func orders(
        after number: UInt64, limit: Int, waitingAtMost patience: Duration
    ) async throws(StoreError) -> [NumberedOrder]
}
