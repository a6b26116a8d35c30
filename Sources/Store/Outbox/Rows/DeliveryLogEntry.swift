public import Kaspa

/// What a device was told, or is to be told, under one `seq`, and what became of it: no payload, no token.
public struct DeliveryLogEntry: Equatable, Sendable {
    /// The state a delivery is in; one in flight counts as queued.
    public enum State: UInt8, CaseIterable, Sendable, CustomStringConvertible {
        case queued = 1
        /// The carrier took it.
        case delivered = 2
        /// Given up because of the carrier's answer, or our own mistake.
        case dead = 3
        /// Given up because its time was over.
        case expired = 4
        case suppressed = 5

        /// The state in a word, as `outbox` and `explain` show it.
        public var description: String {
            switch self {
            case .queued: "queued"
            case .delivered: "delivered"
            case .dead: "dead"
            case .expired: "expired"
            case .suppressed: "suppressed"
            }
        }

        /// Whether the delivery was given up, and is kept as a dead letter.
        public var isDeadLetter: Bool { self == .dead || self == .expired }
    }

    /// Bytes; longer reasons are cut, and every reason of Apple's is shorter.
    static let longestReason = 64

    /// Who was told, or is to be.
    public var device: DeviceID
    /// The device's number for the delivery, from 1.
    public var seq: UInt64
    /// The transaction that it is about.
    public var transactionID: TransactionID
    /// What the notification is about.
    public var kind: PushKind
    /// nil: it could not be resolved.
    public var sender: Address?
    /// Milliseconds since 1970, as are the other times.
    public var blockTime: UInt64
    /// When the event was queued: the log's age counts from here.
    public var queuedAt: UInt64
    /// Where the delivery stands, or how it ended.
    public var state: State = .queued
    /// How often it was handed to the carrier.
    public var attempts: UInt32 = 0
    /// The last reason that was given for its state, the carrier's where it spoke; empty before.
    public var reason = ""
    /// When the state, or the number of attempts, last changed; 0 before that.
    public var changedAt: UInt64 = 0

    /// Of a delivery that has just been queued.
    init(_ delivery: Delivery) {
        device = delivery.device
        seq = delivery.seq
        transactionID = delivery.transactionID
        kind = delivery.kind
        sender = delivery.sender
        blockTime = delivery.blockTime
        queuedAt = delivery.queuedAt
    }

    /// Notes that the device is not told, and why.
    mutating func suppress(_ reason: SuppressionReason, at time: UInt64) {
        state = .suppressed
        self.reason = reason.rawValue
        changedAt = time
    }

    /// The row's key in `delivery_log`: that of its delivery.
    var key: [UInt8] { Delivery.key(device, seq) }

    /// The row's key in `delivery_log_by_time` and, if it is one, in `dead_letters`.
    var timeKey: [UInt8] {
        var writer = ByteWriter(capacity: 8 + DeviceID.byteCount + 8)
        writer.write(queuedAt)
        writer.write(device)
        writer.write(seq)
        return writer.bytes
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 160)
        writer.write(transactionID)
        writer.write(kind.rawValue)
        writer.write(sender)
        writer.write(blockTime)
        writer.write(queuedAt)
        writer.write(state.rawValue)
        writer.write(attempts)
        writer.write(variable: Array(reason.utf8.prefix(DeliveryLogEntry.longestReason)))
        writer.write(changedAt)
        return writer.bytes
    }

    /// Whether a row says that its delivery has not ended; false for a damaged one, too.
    static func isQueued(_ encoded: [UInt8]) -> Bool { (try? queue(encoded))?.state == State.queued.rawValue }

    /// When its event was queued; nil for a damaged row.
    static func queuedAt(_ encoded: [UInt8]) -> UInt64? { (try? queue(encoded))?.at }

    private static func queue(_ encoded: [UInt8]) throws(StoreError) -> (at: UInt64, state: UInt8) {
        var reader = ByteReader(encoded)
        try reader.skip(count: Hash.byteCount + 1)
        try reader.skipOptional()
        try reader.skip(count: 8)
        return (at: try reader.readUInt64(), state: try reader.readUInt8())
    }

    init(device: DeviceID, seq: UInt64, encoded: [UInt8], network: Network) throws(StoreError) {
        var reader = ByteReader(encoded)
        self.device = device
        self.seq = seq
        transactionID = try reader.readHash()
        guard let kind = PushKind(rawValue: try reader.readUInt8()) else { throw ByteReader.corrupt("log kind") }
        self.kind = kind
        sender = try reader.readAddress(on: network)
        blockTime = try reader.readUInt64()
        queuedAt = try reader.readUInt64()
        guard let state = State(rawValue: try reader.readUInt8()) else { throw ByteReader.corrupt("log state") }
        self.state = state
        attempts = try reader.readUInt32()
        reason = try reader.readText()
        changedAt = try reader.readUInt64()
        try reader.finish()
    }

    init(_ row: Row, network: Network) throws(StoreError) {
        var key = ByteReader(row.key)
        let device = try key.readDeviceID()
        let seq = try key.readUInt64()
        try key.finish()
        try self.init(device: device, seq: seq, encoded: Array(row.value), network: network)
    }

    /// Device and seq at the end of a key in `delivery_log_by_time` or `dead_letters`.
    static func place(ofTimeKey key: UnsafeRawBufferPointer) throws(StoreError) -> (device: DeviceID, seq: UInt64) {
        var reader = ByteReader(key)
        _ = try reader.readUInt64()
        let place = (device: try reader.readDeviceID(), seq: try reader.readUInt64())
        try reader.finish()
        return place
    }
}
