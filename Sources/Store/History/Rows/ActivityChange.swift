public import Kaspa

/// One change of an item of somebody's activity: a row of the log that streams are read from.
public struct ActivityChange: Equatable, Sendable {
    /// What happened.
    ///
    /// Whoever tells of it tells how the item stands by then, which may be further on.
    public enum Kind: UInt8, CaseIterable, Sendable {
        /// Seen in a block.
        case seen = 1
        /// Accepted, for the first time or by another block.
        case accepted = 2
        /// Taken out of the virtual chain.
        case reverted = 3
        /// Accepted long enough ago (`StoreLimits.confirmations`).
        case confirmed = 4
        /// A party became known.
        case amended = 5
        /// The addresses have no part in it after all, or it was never accepted and is forgotten.
        case removed = 6
    }

    /// From 1, without gaps.
    public var number: UInt64
    /// What happened to the item.
    public var kind: Kind
    /// The transaction that the item is.
    public var transactionID: TransactionID
    /// A plain transfer, not an operation.
    public var isTransfer: Bool
    /// Whose activity it stands in, or stood in before.
    public var addresses: [Address]

    static func key(_ number: UInt64) -> [UInt8] {
        var writer = ByteWriter(capacity: 8)
        writer.write(number)
        return writer.bytes
    }

    /// The value of a row.
    static func encoded(
        _ kind: Kind, _ id: TransactionID, isTransfer: Bool, addresses: [[UInt8]]
    ) -> [UInt8] {
        var writer = ByteWriter(capacity: 160)
        writer.write(kind.rawValue)
        writer.write(id)
        writer.write(isTransfer ? UInt8(1) : 0)
        writer.write(list: addresses) { $0.write(variable: $1) }
        return writer.bytes
    }

    init(_ row: Row, network: Network) throws(StoreError) {
        var key = ByteReader(row.key)
        let number = try key.readUInt64()
        try key.finish()
        try self.init(number: number, encoded: Array(row.value), network: network)
    }

    init(number: UInt64, encoded: [UInt8], network: Network) throws(StoreError) {
        self.number = number
        var reader = ByteReader(encoded)
        guard let kind = Kind(rawValue: try reader.readUInt8()) else { throw ByteReader.corrupt("activity change") }
        self.kind = kind
        transactionID = try reader.readHash()
        isTransfer = try reader.readBool("activity change")
        addresses = try reader.readAddresses(on: network)
        try reader.finish()
    }
}

/// A place in the log of changes, such that one from another store, or another history of it, is told apart.
public struct ChangePosition: Equatable, Sendable {
    /// Bytes of a tag.
    public static let tagBytes = 4

    /// 0: before the first change.
    public var number: UInt64
    /// The first bytes of the change's transaction id; empty for number 0.
    public var tag: [UInt8]

    /// Before the first change: all that the log has comes after it.
    public static let start = ChangePosition(number: 0, tag: [])

    /// Takes a position that was given out once; `History.hasChanges(since:)` says whether the log still goes on from it.
    public init(number: UInt64, tag: [UInt8]) {
        self.number = number
        self.tag = tag
    }
}

extension ActivityChange {
    /// Where the change stands in the log.
    public var position: ChangePosition {
        ChangePosition(number: number, tag: Array(transactionID.bytes.prefix(ChangePosition.tagBytes)))
    }
}
