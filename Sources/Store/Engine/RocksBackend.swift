import Kaspa

/// RocksDB in this process: the open database with its one writer.
final class RocksBackend: StoreBackend {
    let path: String
    let database: Database
    let admission: WriteAdmission
    private let writer: StoreWriter
    private let logSync: WriteAheadLogSync

    init(
        path: String, limits: StoreLimits, database: Database, admission: WriteAdmission, followers: CommitFollowers
    ) {
        self.path = path
        self.database = database
        self.admission = admission
        // One thread for both: a sync that begins while a write fails would end the process (see WriteAdmission). Writes
        // wait for a sync, and those that waited share the next one.
        let executor = BlockingExecutor(label: "kasia.store.writer")
        writer = StoreWriter(
            database: database, admission: admission, executor: executor, limits: limits, followers: followers)
        logSync = WriteAheadLogSync(executor: executor) { () throws(StoreError) in
            try admission.perform { () throws(StoreError) in try database.syncWriteAheadLog() }
        }
    }

    var rows: any CommittedRows { database }

    func write<Result: Sendable>(
        _ change: StoreChange, _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await writer.write(change, body)
    }

    func sync() async throws(StoreError) { try await logSync.sync() }

    func trouble(with change: StoreChange) -> StoreError? { admission.trouble(with: change) }

    func storeGoes() {}

    var closing: AsyncStream<Never> { database.closing.stream }

    var lastWrite: UInt64 { database.lastSequence }

    func statistics() -> [Store.FamilyStatistics] {
        ColumnFamily.allCases.map { family in
            Store.FamilyStatistics(
                family: family, rows: database.property("rocksdb.estimate-num-keys", of: family) ?? 0,
                diskBytes: database.property("rocksdb.total-sst-files-size", of: family) ?? 0,
                memoryBytes: database.property("rocksdb.cur-size-all-mem-tables", of: family) ?? 0)
        }
    }

    var memory: Store.Memory {
        func sum(_ property: String) -> UInt64 {
            ColumnFamily.allCases.reduce(0) { $0 + (database.property(property, of: $1) ?? 0) }
        }
        return Store.Memory(
            unflushedWrites: sum("rocksdb.size-all-mem-tables"),
            blockCache: database.property("rocksdb.block-cache-usage", of: .meta) ?? 0,
            tables: sum("rocksdb.estimate-table-readers-mem"),
            rowCache: UInt64(clamping: database.rowCache.bytes))
    }
}
