import Foundation
import Postgres
import Store

/// Keeps the tables of what waits small, and that of the devices' states: they are written at the pace of the traffic.
///
/// Autovacuum would begin again every few seconds while somebody holds a snapshot and nothing can be tidied up, and costs
/// more than the deliveries then. This one pauses after a vacuum that did not help. Indexes that a snapshot has left
/// large are made anew; vacuum does not make them smaller.
actor QueueUpkeep {
    /// What tests make smaller.
    struct Limits: Sendable {
        /// Between two looks.
        var interval: Duration = .seconds(5)
        /// Dead rows from which a table is vacuumed; of a large one, a fiftieth of its rows.
        var deadRows: Int64 = 20_000
        /// Bytes from which an index is made anew, if it is twice as large as its table.
        var indexBytes: Int64 = 16 << 20
    }

    static let tables = ["deliveries", "schedule", "events", "device_states"]
    /// A vacuum or an index may take so long.
    private static let deadline = Duration.seconds(600)
    private static let vacuum = tables.map { "vacuum \($0)" }
    /// Who reads the table at length is not waited for.
    private static let reindex = tables.map {
        "begin; set local lock_timeout = '100ms'; reindex index \($0)_pkey; commit"
    }
    /// Dead rows, live ones, bytes, and bytes of the index of each table.
    ///
    /// `$1`: their names.
    private static let question = Statement(
        "queue_sizes",
        """
        select s.n_dead_tup, s.n_live_tup, pg_relation_size(s.relid), pg_relation_size((n || '_pkey')::regclass)
        from unnest($1) with ordinality t(n, number)
        join pg_stat_user_tables s on s.relid = n::regclass order by number
        """)

    private nonisolated let executor = BlockingExecutor(label: "kasia.store.upkeep")
    private nonisolated let state: ServerState
    private nonisolated let limits: Limits
    private let settings: ConnectionSettings
    private let pool: ConnectionPool
    private var paces = [VacuumPace](repeating: VacuumPace(), count: tables.count)
    private var lastWrite: UInt64 = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ settings: ConnectionSettings, pool: ConnectionPool, state: ServerState, limits: Limits) {
        self.settings = settings
        self.pool = pool
        self.state = state
        self.limits = limits
    }

    /// Looks from time to time, until the store is closed.
    nonisolated func begin() {
        executor.run(after: limits.interval) { [weak self] in
            guard let self, !state.isClosed else { return }
            assumeIsolated { $0.look() }
            begin()
        }
    }

    /// Does what is due; a server that is away is asked again at the next look.
    private func look() {
        // Without traffic there is nothing to do.
        guard state.lastWrite != lastWrite, state.failure == nil else { return }
        lastWrite = state.lastWrite
        guard let sizes = try? pool.with({ (connection) throws(StoreError) in try QueueUpkeep.sizes(connection) }),
            sizes.indices.contains(where: { isDue(sizes[$0], paces[$0]) })
        else { return }
        // A connection of its own, which may be busy for long, and is not kept.
        do throws(PostgresError) {
            let connection = try Connection(settings)
            connection.deadline = QueueUpkeep.deadline
            for (index, size) in sizes.enumerated() where !state.isClosed { try tidy(index, size, connection) }
        } catch {}
    }

    private func isDue(_ size: Size, _ pace: VacuumPace) -> Bool {
        needsVacuum(size, pace) || isSwollen(size)
    }

    private func needsVacuum(_ size: Size, _ pace: VacuumPace) -> Bool {
        pace.isDue(size.deadRows, from: max(limits.deadRows, size.liveRows / 50), now: .now)
    }

    private func isSwollen(_ size: Size) -> Bool {
        size.indexBytes >= limits.indexBytes && size.indexBytes > 2 * size.bytes
    }

    private func tidy(_ index: Int, _ size: Size, _ connection: Connection) throws(PostgresError) {
        var size = size
        if needsVacuum(size, paces[index]) {
            try connection.execute(script: QueueUpkeep.vacuum[index])
            let before = size.deadRows
            size = try QueueUpkeep.ask(connection)[index]
            paces[index].done(before: before, after: size.deadRows, now: .now)
        }
        guard isSwollen(size) else { return }
        do throws(PostgresError) {
            try connection.execute(script: QueueUpkeep.reindex[index])
        } catch {
            guard !error.losesConnection else { throw error }
        }
    }

    /// Of a table, in the order of `tables`.
    private struct Size {
        var deadRows: Int64
        var liveRows: Int64
        var bytes: Int64
        var indexBytes: Int64
    }

    private static func sizes(_ connection: Connection) throws(StoreError) -> [Size] {
        try checked { () throws(PostgresError) in try ask(connection) }
    }

    private static func ask(_ connection: Connection) throws(PostgresError) -> [Size] {
        let rows = try connection.run([(question, [.textArray(tables)])])[0]
        var sizes: [Size] = []
        for row in 0..<rows.count {
            sizes.append(
                Size(
                    deadRows: try rows.int64(row, 0), liveRows: try rows.int64(row, 1), bytes: try rows.int64(row, 2),
                    indexBytes: try rows.int64(row, 3)))
        }
        return sizes
    }
}

/// When a table is vacuumed again: at once while it helps, after longer and longer pauses while it does not.
struct VacuumPace {
    static let (firstPause, longestPause) = (Duration.seconds(10), Duration.seconds(40))

    private var pause = Duration.zero
    private var notBefore: ContinuousClock.Instant?

    /// Whether there are enough dead rows, and no pause.
    func isDue(_ deadRows: Int64, from least: Int64, now: ContinuousClock.Instant) -> Bool {
        deadRows >= least && notBefore.map { now >= $0 } ?? true
    }

    /// A vacuum has ended; it helped unless more than half of the dead rows are left.
    mutating func done(before: Int64, after: Int64, now: ContinuousClock.Instant) {
        let helped = after <= before / 2
        pause = helped ? .zero : min(max(pause * 2, VacuumPace.firstPause), VacuumPace.longestPause)
        notBefore = now + pause
    }
}
