public import Kaspa

/// One notification for one device: all that a later attempt needs but the payload, which stays with the operation.
public struct Delivery: Equatable, Sendable {
    /// Whom it is for.
    public var device: DeviceID
    /// The device's number for this delivery, from 1.
    public var seq: UInt64
    /// The transaction that the device is told of.
    public var transactionID: TransactionID
    /// What the notification is about.
    public var kind: PushKind
    /// Who sent it, and of funds who spends first; nil if that is not known, or nobody.
    public var sender: Address?
    /// Sompi; of payments, and of funds what the device's addresses get.
    public var amount: UInt64
    /// The event's block time, milliseconds since 1970.
    public var blockTime: UInt64
    /// The accepting block's DAA score.
    public var daaScore: UInt64
    /// When the event was queued, milliseconds since 1970.
    public var queuedAt: UInt64
    /// When the carrier, and this service, shall stop trying, milliseconds since 1970.
    public var expiresAt: UInt64
    /// Attempts that the carrier did not answer for good.
    public var attempts: UInt32
    /// Set once the carrier called the notification too large: the payload stays out.
    public var omitsPayload: Bool
    /// Of `address_activity`: the first of the device's addresses that is credited.
    public var address: Address?
    /// Of `payment_reverted`: the device's number for the delivery that is corrected; else 0.
    public var correctedSeq: UInt64 = 0

    /// A delivery of an event, not tried yet and with its payload unless given otherwise.
    ///
    /// `address` and `correctedSeq` are for the caller to set, and of funds the amount.
    public init(
        device: DeviceID, seq: UInt64, event: PushEvent, expiresAt: UInt64, attempts: UInt32 = 0,
        omitsPayload: Bool = false
    ) {
        self.device = device
        self.seq = seq
        transactionID = event.transactionID
        kind = event.kind
        sender = event.sender
        amount = event.amount
        blockTime = event.blockTime
        daaScore = event.acceptance.daaScore
        queuedAt = event.queuedAt
        self.expiresAt = expiresAt
        self.attempts = attempts
        self.omitsPayload = omitsPayload
    }

    static func key(_ device: DeviceID, _ seq: UInt64) -> [UInt8] {
        var writer = ByteWriter(capacity: DeviceID.byteCount + 8)
        writer.write(device)
        writer.write(seq)
        return writer.bytes
    }

    var key: [UInt8] { Delivery.key(device, seq) }

    /// Device and number in a key of `deliveries` or `delivery_log`; nil if it is none.
    static func place(ofKey key: [UInt8]) -> (device: DeviceID, seq: UInt64)? {
        guard key.count == DeviceID.byteCount + 8 else { return nil }
        let seq = key.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: DeviceID.byteCount, as: UInt64.self) }
        return (DeviceID(bytes: key), UInt64(bigEndian: seq))
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 160)
        writer.write(transactionID)
        writer.write(kind.rawValue)
        writer.write(sender)
        writer.write(amount)
        writer.write(blockTime)
        writer.write(daaScore)
        writer.write(queuedAt)
        writer.write(expiresAt)
        writer.write(attempts)
        writer.write(omitsPayload ? UInt8(1) : 0)
        switch kind {
        case .addressActivity: writer.write(address)
        case .paymentReverted: writer.write(correctedSeq)
        default: break
        }
        return writer.bytes
    }

    /// Whether a row says that its delivery was tried in vain; false for a damaged one.
    static func wasTried(_ encoded: [UInt8]) -> Bool {
        func attempts() throws(StoreError) -> UInt32 {
            var reader = ByteReader(encoded)
            try reader.skip(count: Hash.byteCount + 1)
            try reader.skipOptional()
            try reader.skip(count: 5 * 8)
            return try reader.readUInt32()
        }
        return (try? attempts()).map { $0 > 0 } ?? false
    }

    init(device: DeviceID, seq: UInt64, encoded: [UInt8], network: Network) throws(StoreError) {
        var reader = ByteReader(encoded)
        self.device = device
        self.seq = seq
        transactionID = try reader.readHash()
        guard let kind = PushKind(rawValue: try reader.readUInt8()) else { throw ByteReader.corrupt("delivery") }
        self.kind = kind
        sender = try reader.readAddress(on: network)
        amount = try reader.readUInt64()
        blockTime = try reader.readUInt64()
        daaScore = try reader.readUInt64()
        queuedAt = try reader.readUInt64()
        expiresAt = try reader.readUInt64()
        attempts = try reader.readUInt32()
        omitsPayload = try reader.readBool("delivery")
        switch kind {
        case .addressActivity: address = try reader.readAddress(on: network)
        case .paymentReverted: correctedSeq = try reader.readUInt64()
        default: break
        }
        try reader.finish()
    }

    init(_ row: Row, network: Network) throws(StoreError) {
        var key = ByteReader(row.key)
        let device = try key.readDeviceID()
        let seq = try key.readUInt64()
        try key.finish()
        try self.init(device: device, seq: seq, encoded: Array(row.value), network: network)
    }
}
