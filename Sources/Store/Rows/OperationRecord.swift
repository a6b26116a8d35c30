public import KasiaProtocol
public import Kaspa

/// A Kasia operation as the chain told it: seen in a block, and perhaps accepted.
public struct OperationRecord: Equatable, Sendable {
    /// The transaction that carries it.
    public var transactionID: TransactionID
    /// What its payload is for.
    public var kind: OperationKind
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
    /// The whole payload of the transaction.
    public var payload: [UInt8]

    /// An operation that the virtual chain has not taken out (`isReverted`).
    public init(
        transactionID: TransactionID, kind: OperationKind, sender: Address?, receiver: Address?, amount: UInt64,
        blockHash: BlockHash, blockTime: UInt64, acceptance: Acceptance?, acceptedAt: UInt64? = nil, payload: [UInt8]
    ) {
        self.transactionID = transactionID
        self.kind = kind
        self.sender = sender
        self.receiver = receiver
        self.amount = amount
        self.blockHash = blockHash
        self.blockTime = blockTime
        self.acceptance = acceptance
        self.acceptedAt = acceptedAt
        self.payload = payload
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
        writer.write(acceptance, at: acceptedAt, isReverted: isReverted)
        writer.write(variable: payload)
        return writer.bytes
    }

    /// The payload of an encoded row, without what stands before it.
    static func payload(of encoded: [UInt8]) throws(StoreError) -> [UInt8] {
        var reader = ByteReader(encoded)
        try reader.skip(count: 1)
        try reader.skipOptional()
        try reader.skipOptional()
        try reader.skip(count: 8 + Hash.byteCount + 8)
        _ = try reader.readAcceptanceState()
        return try reader.readVariable()
    }

    init(transactionID: TransactionID, encoded: [UInt8], network: Network) throws(StoreError) {
        var reader = ByteReader(encoded)
        guard let kind = OperationKind(rawValue: try reader.readUInt8()) else {
            throw ByteReader.corrupt("operation kind")
        }
        self.transactionID = transactionID
        self.kind = kind
        sender = try reader.readAddress(on: network)
        receiver = try reader.readAddress(on: network)
        amount = try reader.readUInt64()
        blockHash = try reader.readHash()
        blockTime = try reader.readUInt64()
        (acceptance, acceptedAt, isReverted) = try reader.readAcceptanceState()
        payload = try reader.readVariable()
        try reader.finish()
    }
}
