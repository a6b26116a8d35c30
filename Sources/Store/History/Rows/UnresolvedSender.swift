public import Kaspa

/// An accepted operation whose sender the accepting answer did not name: the node is asked for it.
public struct UnresolvedSender: Equatable, Sendable {
    /// The transaction whose sender is asked for.
    public var transactionID: TransactionID
    /// The acceptance that the question belongs to; another one is another question.
    public var acceptance: OperationRecord.Acceptance
    /// The accepting block's time, milliseconds since 1970; nil in rows of schema version 1.
    public var acceptedAt: UInt64?
    /// Whether an event waits for the answer.
    public var notifies: Bool
    /// Whether the sender alone says who is told: without it nobody is.
    public var needsSender: Bool
    /// For group messages: whose key signs for the group.
    public var group: AcceptedOperation.GroupBinding?
    /// Payments and handshakes: the outputs with an address, of which the sender decides which one is the receiver's.
    public var paid: [PaidAddress]
    /// Questions that the node did not answer with a sender.
    public var attempts: UInt32
    /// Of payments and handshakes: how often in a row, up to now, the node answered that it cannot say; 255 stands for
    /// more, too.
    public var refusals: UInt8
    /// When to ask next, milliseconds since 1970.
    public var due: UInt64
    /// When the event goes its way without the sender, milliseconds since 1970; once it has, when asking ends.
    public var deadline: UInt64

    /// A question that was not put yet, unless given otherwise.
    public init(
        transactionID: TransactionID, acceptance: OperationRecord.Acceptance, acceptedAt: UInt64? = nil,
        notifies: Bool, needsSender: Bool, group: AcceptedOperation.GroupBinding?, paid: [PaidAddress],
        attempts: UInt32 = 0, refusals: UInt8 = 0, due: UInt64, deadline: UInt64
    ) {
        self.transactionID = transactionID
        self.acceptance = acceptance
        self.acceptedAt = acceptedAt
        self.notifies = notifies
        self.needsSender = needsSender
        self.group = group
        self.paid = paid
        self.attempts = attempts
        self.refusals = refusals
        self.due = due
        self.deadline = deadline
    }

    /// Whether it is a payment or a handshake to somebody.
    var isPaid: Bool { !paid.isEmpty }

    /// An output with an address.
    public struct PaidAddress: Equatable, Sendable {
        /// Whom the output pays.
        public var address: Address
        /// Sompi.
        public var amount: UInt64

        /// An output to this address, of so many sompi.
        public init(address: Address, amount: UInt64) {
            self.address = address
            self.amount = amount
        }
    }

    /// Which of the two times a row in `unresolved_times` stands for.
    enum Moment: UInt8, CaseIterable {
        case deadline = 0
        case question = 1
    }

    static func timeKey(_ moment: Moment, _ time: UInt64, _ id: TransactionID) -> [UInt8] {
        var writer = ByteWriter(capacity: 9 + Hash.byteCount)
        writer.write(moment.rawValue)
        writer.write(time)
        writer.write(id)
        return writer.bytes
    }

    /// The rows in `unresolved_times` that lead here.
    var timeKeys: [[UInt8]] {
        [
            UnresolvedSender.timeKey(.deadline, deadline, transactionID),
            UnresolvedSender.timeKey(.question, due, transactionID),
        ]
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 192)
        writer.write(acceptance)
        writer.write(notifies ? UInt8(1) : 0)
        // What needs its sender counts no refusals.
        writer.write(needsSender ? UInt8(1) : refusals > 0 ? 2 : 0)
        writer.write(optional: group) {
            $0.write(fixed: $1.blindedGroupID)
            $0.write(fixed: $1.senderPublicKey)
        }
        writer.write(list: paid) {
            $0.write(variable: $1.address)
            $0.write($1.amount)
        }
        writer.write(attempts)
        writer.write(due)
        writer.write(deadline)
        if !needsSender, refusals > 0 { writer.write(refusals) }
        // Version 1 ended here.
        if let acceptedAt { writer.write(acceptedAt) }
        return writer.bytes
    }

    /// Reads a row of `unresolved`.
    init(_ key: [UInt8], _ value: [UInt8], network: Network) throws(StoreError) {
        guard let id = Hash(bytes: key) else { throw ByteReader.corrupt("unresolved sender") }
        try self.init(transactionID: id, encoded: value, network: network)
    }

    init(transactionID: TransactionID, encoded: [UInt8], network: Network) throws(StoreError) {
        var reader = ByteReader(encoded)
        self.transactionID = transactionID
        acceptance = try reader.readAcceptance()
        notifies = try reader.readBool("unresolved sender")
        let need = try reader.readUInt8()
        guard need <= 2 else { throw ByteReader.corrupt("unresolved sender") }
        needsSender = need == 1
        group = try reader.readOptional { (reader) throws(StoreError) in
            AcceptedOperation.GroupBinding(
                blindedGroupID: Array(try reader.read(count: 32)), senderPublicKey: Array(try reader.read(count: 32)))
        }
        paid = try reader.readList { (reader) throws(StoreError) in
            PaidAddress(address: try reader.readVariableAddress(on: network), amount: try reader.readUInt64())
        }
        attempts = try reader.readUInt32()
        due = try reader.readUInt64()
        deadline = try reader.readUInt64()
        refusals = need == 2 ? try reader.readUInt8() : 0
        guard need != 2 || refusals > 0 else { throw ByteReader.corrupt("unresolved sender") }
        acceptedAt = reader.isAtEnd ? nil : try reader.readUInt64()
        try reader.finish()
    }
}
