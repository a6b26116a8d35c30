import Foundation
import Postgres
import Store

/// Keeps the tables of what waits small: they are written and emptied at the pace of the traffic.
///
/// Autovacuum would begin again every few seconds while somebody holds a snapshot and nothing can be tidied up, and costs
/// more than the deliveries then. This one pauses after a vacuum that did not help. Indexes that a snapshot has left
/// large are made anew; vacuum does not make them smaller.
actor QueueUpkeep {
    /// What tests make smaller.
    struct Limits: Sendable {
        /// Between two looks.
        var interval: Duration = .seconds(5)
        /// Dead rows from which a table is vacuumed.
        var deadRows: Int64 = 20_000
        /// Bytes from which an index is made anew, if it is twice as large as its table.
        var indexBytes: Int64 = 16 << 20
    }

    private static let tables = ["deliveries", "schedule", "events"]
    /// A vacuum or an index may take so long.
    private static let deadline = Duration.seconds(600)
    private static let vacuum = tables.map { "vacuum \($0)" }
    /// Who reads the table at length is not waited for.
    private static let reindex = tables.map {
        "begin; set local lock_timeout = '100ms'; reindex index \($0)_pkey; commit"
    }
    /// Dead rows, bytes, and bytes of the index of each table.
    ///
    /// `$1`: their names.
    private static let sizes = Statement(
        "queue_sizes",
        """
        select s.n_dead_tup, pg_relation_size(s.relid), pg_relation_size((n || '_pkey')::regclass)
        from unnest($1) with ordinality t(n, number)
        join pg_stat_user_tables s on s.relid = n::regclass order by number
        """)

    private nonisolated let executor = BlockingExecutor(label: "kasia.store.upkeep")
    private nonisolated let state: ServerState
    private nonisolated let limits: Limits
    private let settings: ConnectionSettings
    private var connection: Connection?
    private var paces = [VacuumPace](repeating: VacuumPace(), count: tables.count)
    private var lastWrite: UInt64 = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ settings: ConnectionSettings, state: ServerState, limits: Limits = Limits()) {
        self.settings = settings
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
        // Without traffic there is nothing to do, and no connection to keep.
        guard state.lastWrite != lastWrite, state.failure == nil else { return connection = nil }
        lastWrite = state.lastWrite
        do throws(PostgresError) {
            let connection = if let connection { connection } else { try connect() }
            try tidy(connection)
        } catch {
            connection = nil
        }
    }

    private func connect() throws(PostgresError) -> Connection {
        let new = try Connection(settings)
        connection = new
        return new
    }

    private func tidy(_ connection: Connection) throws(PostgresError) {
        connection.deadline = QueueUpkeep.deadline
        for (index, size) in try sizes(connection).enumerated() {
            guard !state.isClosed else { return }
            if paces[index].isDue(size.deadRows, from: limits.deadRows, now: .now) {
                try connection.execute(script: QueueUpkeep.vacuum[index])
                let left = try sizes(connection)[index].deadRows
                paces[index].done(before: size.deadRows, after: left, now: .now)
            }
            let size = try sizes(connection)[index]
            guard size.indexBytes >= limits.indexBytes, size.indexBytes > 2 * size.bytes else { continue }
            do throws(PostgresError) {
                try connection.execute(script: QueueUpkeep.reindex[index])
            } catch {
                guard !error.losesConnection else { throw error }
            }
        }
    }

    private func sizes(
        _ connection: Connection
    ) throws(PostgresError) -> [(deadRows: Int64, bytes: Int64, indexBytes: Int64)] {
        let rows = try connection.run([(QueueUpkeep.sizes, [.textArray(QueueUpkeep.tables)])])[0]
        var sizes: [(deadRows: Int64, bytes: Int64, indexBytes: Int64)] = []
        for row in 0..<rows.count {
            sizes.append((try rows.int64(row, 0), try rows.int64(row, 1), try rows.int64(row, 2)))
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
