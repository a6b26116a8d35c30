public import Kaspa

/// An accepted transaction that somebody may have to be told of, as it was when it was queued.
public struct PushEvent: Equatable, Sendable {
    /// Counts up from 1 over the store's life.
    public var number: UInt64
    /// The transaction to tell of.
    public var transactionID: TransactionID
    /// What is told.
    public var kind: PushKind
    /// Who sent it, and of funds who spends first; nil if that is not known, or nobody.
    public var sender: Address?
    /// Who is paid; nil if that is not known, for kinds that pay nobody, and for funds.
    public var receiver: Address?
    /// Sompi.
    public var amount: UInt64
    /// The time of the block that the accepting answer named, milliseconds since 1970.
    public var blockTime: UInt64
    /// The acceptance that is told of; of `payment_reverted` the one that was lost.
    public var acceptance: OperationRecord.Acceptance
    /// When it was queued, milliseconds since 1970.
    public var queuedAt: UInt64
    /// How far the watcher lists have been walked.
    public var progress: FanOutProgress
    /// Of an operation: what of its payload says who is told.
    public var subject: PushSubject
    /// Of `address_activity`: who gets and who spends.
    public var funds: Funds?
    /// Of `payment_reverted`: when the payment's own event was queued, which is where its deliveries are found.
    public var toldAt: UInt64?

    /// An event whose walk has not begun, unless given otherwise; `subject`, `funds` and `toldAt` are of some kinds each.
    public init(
        number: UInt64, transactionID: TransactionID, kind: PushKind, sender: Address?, receiver: Address?,
        amount: UInt64, blockTime: UInt64, acceptance: OperationRecord.Acceptance, queuedAt: UInt64,
        progress: FanOutProgress = FanOutProgress(), subject: PushSubject = PushSubject(), funds: Funds? = nil,
        toldAt: UInt64? = nil
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
        self.subject = subject
        self.funds = funds
        self.toldAt = toldAt
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
        writer.write(UInt8(truncatingIfNeeded: progress.list))
        writer.write(progress.walked)
        writer.write(optional: progress.last) { $0.write($1) }
        // What only some kinds have.
        switch kind {
        case .addressActivity:
            writer.write(UInt8(progress.list >> 8))
            (funds ?? Funds(credits: [], spenders: [])).write(to: &writer)
        case .paymentReverted:
            writer.write(toldAt ?? 0)
        default: writer.write(subject, of: kind)
        }
        return writer.bytes
    }

    init(number: UInt64, encoded: [UInt8], network: Network) throws(StoreError) {
        try self.init(number: number, encoded: encoded, network: network) { (reader, kind) throws(StoreError) in
            try reader.readSubject(of: kind)
        }
    }

    init(
        number: UInt64, encoded: [UInt8], network: Network,
        readSubject: (inout ByteReader, PushKind) throws(StoreError) -> PushSubject
    ) throws(StoreError) {
        var reader = ByteReader(encoded)
        self.number = number
        transactionID = try reader.readHash()
        guard let kind = PushKind(rawValue: try reader.readUInt8()) else { throw ByteReader.corrupt("event") }
        self.kind = kind
        sender = try reader.readAddress(on: network)
        receiver = try reader.readAddress(on: network)
        amount = try reader.readUInt64()
        blockTime = try reader.readUInt64()
        acceptance = OperationRecord.Acceptance(
            blockHash: try reader.readHash(), daaScore: try reader.readUInt64(), blueScore: try reader.readUInt64())
        queuedAt = try reader.readUInt64()
        progress = FanOutProgress(
            list: UInt16(try reader.readUInt8()), walked: try reader.readUInt64(),
            last: try reader.readOptional { (reader) throws(StoreError) in try reader.readDeviceID() })
        subject = PushSubject()
        switch kind {
        case .addressActivity:
            progress.list |= UInt16(try reader.readUInt8()) << 8
            funds = try Funds(from: &reader, network: network)
        case .paymentReverted:
            toldAt = try reader.readUInt64()
        default: subject = try readSubject(&reader, kind)
        }
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
    public var list: UInt16
    /// How many watchers have been looked at in all lists.
    public var walked: UInt64
    /// The last device looked at in this list.
    public var last: DeviceID?

    /// The beginning of the first list, unless given otherwise.
    public init(list: UInt16 = 0, walked: UInt64 = 0, last: DeviceID? = nil) {
        self.list = list
        self.walked = walked
        self.last = last
    }
}
