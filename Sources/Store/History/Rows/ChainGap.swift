/// A stretch of the virtual chain that the node had pruned before it was read.
public struct ChainGap: Equatable, Sendable {
    /// The DAA score of the last block that was read before it.
    public var fromDAAScore: UInt64
    /// The DAA score of the block at which reading went on.
    public var toDAAScore: UInt64
    /// Milliseconds since 1970.
    public var foundAt: UInt64
    /// How many there have been, this one included.
    public var count: UInt64

    /// A gap whose `count` has it included.
    public init(fromDAAScore: UInt64, toDAAScore: UInt64, foundAt: UInt64, count: UInt64) {
        self.fromDAAScore = fromDAAScore
        self.toDAAScore = toDAAScore
        self.foundAt = foundAt
        self.count = count
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 32)
        for value in [fromDAAScore, toDAAScore, foundAt, count] { writer.write(value) }
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(StoreError) {
        var reader = ByteReader(encoded)
        fromDAAScore = try reader.readUInt64()
        toDAAScore = try reader.readUInt64()
        foundAt = try reader.readUInt64()
        count = try reader.readUInt64()
        try reader.finish()
    }
}

extension History {
    /// The last gap; nil when there was none.
    public func lastGap() async throws(StoreError) -> ChainGap? {
        try await read { () throws(StoreError) -> ChainGap? in
            guard let stored = try database.get(.meta, MetaKey.lastGap) else { return nil }
            return try ChainGap(encoded: stored)
        }
    }

    /// Goes on at `next`, and remembers in the same batch what was left out.
    public func leaveGap(
        from cursor: ChainCursor, to next: ChainCursor, now: UInt64
    ) async throws(StoreError) -> ChainGap {
        try await write { (transaction) throws(StoreError) in
            var count: UInt64 = 0
            if let stored = try transaction.get(.meta, MetaKey.lastGap) { count = try ChainGap(encoded: stored).count }
            let gap = ChainGap(
                fromDAAScore: cursor.daaScore, toDAAScore: next.daaScore, foundAt: now, count: count &+ 1)
            transaction.put(.meta, MetaKey.lastGap, gap.encoded)
            transaction.put(.meta, MetaKey.cursor, next.encoded)
            return gap
        }
    }
}
