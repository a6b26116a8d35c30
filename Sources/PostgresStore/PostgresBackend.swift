import Postgres
import Store

/// PostgreSQL: a connection that writes, and some that read.
final class PostgresBackend: StoreBackend {
    let rows: any CommittedRows
    private let pool: ConnectionPool
    /// nil: it was opened to read.
    let writer: ServerWriter?
    /// nil: it was opened to read.
    private let upkeep: QueueUpkeep?
    private let state: ServerState
    private let cache: RowCache
    let shards: ShardPlan
    let sharedValues: (any SharedValues)?
    private let end = AsyncStream.makeStream(of: Never.self)

    init(
        _ rows: ServerRows, writer: ServerWriter?, upkeep: QueueUpkeep?, state: ServerState,
        shards: ShardPlan, sharedValues: (any SharedValues)?
    ) {
        self.rows = rows
        pool = rows.pool
        cache = rows.rowCache
        self.writer = writer
        self.upkeep = upkeep
        self.state = state
        self.shards = shards
        self.sharedValues = sharedValues
        writer?.keepLease()
        upkeep?.begin()
    }

    deinit {
        end.continuation.finish()
    }

    func storeGoes() {
        state.close()
        guard let writer else { return }
        Task { [self] in
            await writer.release()
            // Only now it is closed.
            withExtendedLifetime(self) {}
        }
    }

    var mayAct: Bool { writer.map { $0.lease.isHeld && state.failure == nil } ?? true }

    func write<Result: Sendable>(
        _ change: StoreChange, _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await openWriter().write(change, isDurable: change != .upkeep, body)
    }

    func sync() async throws(StoreError) {
        guard state.hasUnsafe else { return }
        try await openWriter().write(.upkeep, isDurable: true) { _ in }
    }

    var keepsLogByDay: Bool { true }

    func forgetLogDays(before time: UInt64) async throws(StoreError) {
        try await openWriter().forgetLogDays(before: time)
    }

    private func openWriter() throws(StoreError) -> ServerWriter {
        guard let writer else { throw StoreError(.unsupported, "the store was opened to read only") }
        return writer
    }

    func trouble(with change: StoreChange) -> StoreError? {
        // A change that asks while it is made has a connection.
        state.trouble ?? (ServerState.attempt == nil ? pool.trouble : nil)
    }

    var lastWrite: UInt64 { state.lastWrite }

    var closing: AsyncStream<Never> { end.stream }

    var memory: Store.Memory {
        Store.Memory(unflushedWrites: 0, blockCache: 0, tables: 0, rowCache: UInt64(clamping: cache.bytes))
    }

    func statistics() async throws(StoreError) -> [Store.FamilyStatistics] {
        try await StatisticsReader().read(pool)
    }
}

/// Asks for the sizes of tables on a thread of its own.
private actor StatisticsReader {
    private nonisolated let executor = BlockingExecutor(label: "kasia.store.statistics")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Rows and bytes with indexes, by table.
    ///
    /// `$1`: their names.
    static let sizes = Statement(
        "table_sizes",
        """
        select n, sum(greatest(c.reltuples, 0))::bigint, sum(pg_total_relation_size(c.oid))::bigint
        from unnest($1) n
        join pg_class c on c.oid = to_regclass(n)
          or c.oid in (select inhrelid from pg_inherits where inhparent = to_regclass(n))
        group by n
        """)

    func read(_ pool: ConnectionPool) throws(StoreError) -> [Store.FamilyStatistics] {
        try pool.with { (connection) throws(StoreError) in
            try checked { () throws(PostgresError) in
                let names = ColumnFamily.allCases.map(\.rawValue)
                let answer = try connection.run([(StatisticsReader.sizes, [.textArray(names)])])[0]
                var sizes: [String: (rows: UInt64, bytes: UInt64)] = [:]
                for row in 0..<answer.count {
                    sizes[try answer.text(row, 0)] = (
                        UInt64(clamping: try answer.int64(row, 1)), UInt64(clamping: try answer.int64(row, 2))
                    )
                }
                return ColumnFamily.allCases.map { family in
                    let size = sizes[family.rawValue]
                    return Store.FamilyStatistics(
                        family: family, rows: size?.rows ?? 0, diskBytes: size?.bytes ?? 0, memoryBytes: 0)
                }
            }
        }
    }
}
