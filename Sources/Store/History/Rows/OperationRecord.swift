public import KasiaProtocol
public import Kaspa

/// A Kasia operation as the chain told it: seen in a block, and perhaps accepted.
public struct OperationRecord: Equatable, Sendable {
    /// The transaction that carries it.
    public var transactionID: TransactionID
    /// The address that the first input spent from; nil while unknown.
    public var sender: Address?
    /// Who is paid by a handshake or payment; nil for other kinds.
    public var receiver: Address?
    /// What the receiver gets, in sompi.
    public var amount: UInt64
    /// The block that the node named for the transaction.
    public var blockHash: BlockHash
    /// That block's time, milliseconds since 1970.
    public var blockTime: UInt64
    /// nil until the virtual chain accepted the transaction, and again after a reorganisation took it out.
    public var acceptance: Acceptance?
    /// The accepting block's time, milliseconds since 1970; nil without acceptance, and in rows of schema version 1.
    public var acceptedAt: UInt64?
    /// Whether the virtual chain had accepted the transaction, and has taken it out.
    public var isReverted = false
    /// Sompi that the sender paid to have it mined.
    ///
    /// nil until an answer named every coin that is spent, and in rows up to schema version 6.
    public var fee: UInt64?
    /// The whole payload of the transaction.
    public var payload: [UInt8]
    /// What the payload says, as it was read when the transaction was.
    public var parsed: ParsedPayload

    /// What its payload is for.
    public var kind: OperationKind { parsed.kind }

    /// An operation that the virtual chain has not taken out (`isReverted`).
    public init(
        transactionID: TransactionID, sender: Address?, receiver: Address?, amount: UInt64, blockHash: BlockHash,
        blockTime: UInt64, acceptance: Acceptance?, acceptedAt: UInt64? = nil, fee: UInt64? = nil, payload: [UInt8],
        parsed: ParsedPayload
    ) {
        self.transactionID = transactionID
        self.sender = sender
        self.receiver = receiver
        self.amount = amount
        self.blockHash = blockHash
        self.blockTime = blockTime
        self.acceptance = acceptance
        self.acceptedAt = acceptedAt
        self.fee = fee
        self.payload = payload
        self.parsed = parsed
    }

    /// The chain block that accepted a transaction.
    public struct Acceptance: Equatable, Sendable {
        /// The accepting block's hash.
        public var blockHash: BlockHash
        /// The accepting block's DAA score.
        public var daaScore: UInt64
        /// The accepting block's blue score, from which confirmations are counted.
        public var blueScore: UInt64

        /// Takes hash and scores of one chain block's header.
        public init(blockHash: BlockHash, daaScore: UInt64, blueScore: UInt64) {
            self.blockHash = blockHash
            self.daaScore = daaScore
            self.blueScore = blueScore
        }
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 224 + payload.count)
        writer.write(kind.rawValue)
        writer.write(sender)
        writer.write(receiver)
        writer.write(amount)
        writer.write(blockHash)
        writer.write(blockTime)
        writer.write(acceptance, at: acceptedAt, isReverted: isReverted, fee: fee)
        writer.write(variable: payload)
        writer.write(parsed)
        return writer.bytes
    }

    /// The payload of an encoded row and what it says, without what stands before them.
    static func payload(of encoded: [UInt8]) throws(StoreError) -> OperationPayload {
        var reader = ByteReader(encoded)
        let kind = try reader.readOperationKind()
        try reader.skipOptional()
        try reader.skipOptional()
        try reader.skip(count: 8 + Hash.byteCount + 8)
        _ = try reader.readAcceptanceState()
        let payload = try reader.readVariable()
        return OperationPayload(bytes: payload, parsed: try reader.readParsedPayload(kind, of: payload.count))
    }

    init(transactionID: TransactionID, encoded: [UInt8], network: Network) throws(StoreError) {
        try self.init(transactionID: transactionID, encoded: encoded, network: network) {
            (reader, kind, payload) throws(StoreError) in try reader.readParsedPayload(kind, of: payload.count)
        }
    }

    /// `parse` reads, or finds out, what the payload says.
    init(
        transactionID: TransactionID, encoded: [UInt8], network: Network,
        parse: (inout ByteReader, OperationKind, [UInt8]) throws(StoreError) -> ParsedPayload
    ) throws(StoreError) {
        var reader = ByteReader(encoded)
        let kind = try reader.readOperationKind()
        self.transactionID = transactionID
        sender = try reader.readAddress(on: network)
        receiver = try reader.readAddress(on: network)
        amount = try reader.readUInt64()
        blockHash = try reader.readHash()
        blockTime = try reader.readUInt64()
        (acceptance, acceptedAt, isReverted, fee) = try reader.readAcceptanceState()
        payload = try reader.readVariable()
        parsed = try parse(&reader, kind, payload)
        try reader.finish()
    }
}

/// A transaction's payload, and what it says; both empty of a transaction that carries no operation.
public struct OperationPayload: Equatable, Sendable {
    /// The whole payload.
    public var bytes: [UInt8]
    /// What it says.
    public var parsed: ParsedPayload?

    /// The payload of no operation, unless given otherwise.
    public init(bytes: [UInt8] = [], parsed: ParsedPayload? = nil) {
        self.bytes = bytes
        self.parsed = parsed
    }
}

extension ByteReader {
    fileprivate mutating func readOperationKind() throws(StoreError) -> OperationKind {
        guard let kind = OperationKind(rawValue: try readUInt8()) else { throw ByteReader.corrupt("operation kind") }
        return kind
    }
}
