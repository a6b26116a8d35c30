public import KasiaProtocol
public import Kaspa

/// An accepted transaction that somebody may have to be told of, as it was when it was queued.
public struct PushEvent: Equatable, Sendable {
    /// Counts up from 1 over the store's life.
    public var number: UInt64
    public var transactionID: TransactionID
    public var kind: OperationKind
    public var sender: Address?
    public var receiver: Address?
    /// Sompi.
    public var amount: UInt64
    /// The time of the block that the accepting answer named, milliseconds since 1970.
    public var blockTime: UInt64
    public var acceptance: OperationRecord.Acceptance
    /// When it was queued, milliseconds since 1970.
    public var queuedAt: UInt64
    /// How far the watcher lists have been walked.
    public var progress: FanOutProgress

    public init(
        number: UInt64, transactionID: TransactionID, kind: OperationKind, sender: Address?, receiver: Address?,
        amount: UInt64, blockTime: UInt64, acceptance: OperationRecord.Acceptance, queuedAt: UInt64,
        progress: FanOutProgress = FanOutProgress()
    ) {
        self.number = number
        self.transactionID = transactionID
        self.kind = kind
        self.sender = sender
        self.receiver = receiver
        self.amount = amount
        self.blockTime = blockTime
        self.acceptance = acceptance
        self.queuedAt = queuedAt
        self.progress = progress
    }

    static func key(_ number: UInt64) -> [UInt8] {
        var writer = ByteWriter(capacity: 8)
        writer.write(number)
        return writer.bytes
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 256)
        writer.write(transactionID)
        writer.write(kind.rawValue)
        writer.write(sender)
        writer.write(receiver)
        writer.write(amount)
        writer.write(blockTime)
        writer.write(acceptance.blockHash)
        writer.write(acceptance.daaScore)
        writer.write(acceptance.blueScore)
        writer.write(queuedAt)
        writer.write(progress.list)
        writer.write(progress.walked)
        writer.write(optional: progress.last) { $0.write($1) }
        return writer.bytes
    }

    init(number: UInt64, encoded: [UInt8], network: Network) throws(StoreError) {
        var reader = ByteReader(encoded)
        self.number = number
        transactionID = try reader.readHash()
        guard let kind = OperationKind(rawValue: try reader.readUInt8()) else { throw ByteReader.corrupt("event") }
        self.kind = kind
        sender = try reader.readAddress(on: network)
        receiver = try reader.readAddress(on: network)
        amount = try reader.readUInt64()
        blockTime = try reader.readUInt64()
        acceptance = OperationRecord.Acceptance(
            blockHash: try reader.readHash(), daaScore: try reader.readUInt64(), blueScore: try reader.readUInt64())
        queuedAt = try reader.readUInt64()
        progress = FanOutProgress(
            list: try reader.readUInt8(), walked: try reader.readUInt64(),
            last: try reader.readOptional { (reader) throws(StoreError) in try reader.readDeviceID() })
        try reader.finish()
    }

    init(_ row: Row, network: Network) throws(StoreError) {
        var key = ByteReader(row.key)
        let number = try key.readUInt64()
        try key.finish()
        try self.init(number: number, encoded: Array(row.value), network: network)
    }
}

/// Where the walk over an event's watchers goes on.
public struct FanOutProgress: Equatable, Sendable {
    /// Which of the event's watcher lists.
    public var list: UInt8
    /// How many watchers have been looked at in all lists.
    public var walked: UInt64
    /// The last device looked at in this list.
    public var last: DeviceID?

    public init(list: UInt8 = 0, walked: UInt64 = 0, last: DeviceID? = nil) {
        self.list = list
        self.walked = walked
        self.last = last
    }
}
