import Synchronization

/// What operators ask about the store, and the one slow thing they do to it.
extension Store {
    /// One column family in numbers, all of them estimates.
    public struct FamilyStatistics: Equatable, Sendable {
        /// Which one.
        public var family: ColumnFamily
        /// How many keys it has.
        public var rows: UInt64
        /// Bytes of the table files.
        public var diskBytes: UInt64
        /// Bytes of writes that are only in memory and in the write-ahead log yet.
        public var memoryBytes: UInt64

        package init(family: ColumnFamily, rows: UInt64, diskBytes: UInt64, memoryBytes: UInt64) {
            self.family = family
            self.rows = rows
            self.diskBytes = diskBytes
            self.memoryBytes = memoryBytes
        }
    }

    /// Every family in the order of the schema.
    public func statistics() async throws(StoreError) -> [FamilyStatistics] {
        try await backend.statistics()
    }

    /// What the store keeps in memory, in bytes.
    public struct Memory: Equatable, Sendable {
        /// Buffers of writes that are not in table files yet, and of those that a reader still holds.
        public var unflushedWrites: UInt64
        /// Blocks, indexes and filters of table files in the shared cache.
        public var blockCache: UInt64
        /// What open table files need outside the cache; an estimate.
        public var tables: UInt64
        /// Rows of what waits to be sent (`RowCache`), beside RocksDB.
        public var rowCache: UInt64

        package init(unflushedWrites: UInt64, blockCache: UInt64, tables: UInt64, rowCache: UInt64) {
            self.unflushedWrites = unflushedWrites
            self.blockCache = blockCache
            self.tables = tables
            self.rowCache = rowCache
        }
    }

    /// What the store keeps in memory now.
    public var memory: Memory {
        backend.memory
    }

    /// Whether RocksDB holds writes back, wholly or by slowing them down, because it cannot tidy up fast enough.
    public var isWriteStalled: Bool {
        guard let database = rocks?.database else { return false }
        let family = ColumnFamily.meta
        return (database.property("rocksdb.is-write-stopped", of: family) ?? 0) > 0
            || (database.property("rocksdb.actual-delayed-write-rate", of: family) ?? 0) > 0
    }

    /// Rewrites one family without what was deleted or overwritten; takes about as long as reading and writing it.
    ///
    /// The service may go on meanwhile. An error of the disk does not show here but at the next write. When the task is
    /// cancelled, RocksDB breaks it off within a moment; what was rewritten so far stays as it was before.
    ///
    /// A database server does this by itself: there it does nothing.
    public func compact(_ family: ColumnFamily) async {
        guard let database = rocks?.database else { return }
        let interruption = Interruption()
        await withTaskCancellationHandler {
            await StoreCompactor().compact(family, of: database)
        } onCancel: {
            interruption.isAsked.store(true, ordering: .releasing)
            database.interruptCompactions()
        }
        if interruption.isAsked.load(ordering: .acquiring) { database.allowCompactions() }
    }

    private final class Interruption: Sendable {
        let isAsked = Atomic(false)
    }
}

/// Runs compactions on a thread of its own: they take minutes.
private actor StoreCompactor {
    private let executor = BlockingExecutor(label: "kasia.store.compact")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func compact(_ family: ColumnFamily, of database: Database) { database.compact(family) }
}
