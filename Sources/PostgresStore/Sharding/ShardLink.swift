import Postgres
import Store

/// The other shards of a store, through connections of their own.
final class ShardLink: OtherShards {
    /// Between two looks whether a shard is clear: the first, and the longest.
    private static let (firstPause, longestPause) = (Duration.milliseconds(2), Duration.milliseconds(50))
    /// How long the word of a shard's process that lives is waited for, beyond its lease.
    private static let patience = Duration.seconds(5)

    private let readers: [Int: ShardReader]
    /// After so long without a sign of life a shard's process begins nothing more.
    private let lease: Duration

    /// `settings` are those of the store's own connections.
    init(
        _ schemas: [Int: ShardSchema], _ settings: ConnectionSettings, lease: Duration,
        open: @escaping @Sendable (ShardSchema) throws(StoreError) -> Store
    ) {
        self.lease = lease
        readers = schemas.mapValues { ShardReader($0, settings, open: open) }
    }

    private func reader(of shard: Int) throws(StoreError) -> ShardReader {
        guard let reader = readers[shard] else { throw StoreError(.engine, "the store has no shard \(shard)") }
        return reader
    }

    func store(of shard: Int) async throws(StoreError) -> Store {
        try await reader(of: shard).store()
    }

    func waitUntilCleared(_ shard: Int, upTo number: UInt64) async throws(StoreError) {
        let reader = try reader(of: shard)
        let begin = ContinuousClock.now
        var pause = ShardLink.firstPause
        let watch = StandbyWatch(lease)
        while true {
            let asked = ContinuousClock.now
            let look = try await reader.look()
            if look.cleared >= number { return }
            // Whoever takes the shard takes all orders before it sends; one that was only silent must not go on.
            if watch.note(look.heartbeat, isReleased: look.isReleased) {
                if look.isReleased { return }
                if try await reader.replace(look.heartbeat) { return }
            }
            guard asked - begin < lease + ShardLink.patience else {
                throw StoreError(
                    .unavailable,
                    "the process of shard \(shard) has not yet said that nothing is on its way to the device: ask again"
                )
            }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, ShardLink.longestPause)
        }
    }

    func areBehind(by limit: Int) async throws(StoreError) -> Bool {
        for reader in readers.values where try await reader.isBehind(by: limit, lease: lease) { return true }
        return false
    }

    func oldestOrderedEvent(of shard: Int) async throws(StoreError) -> [UInt8]? {
        try await reader(of: shard).oldestOrderedEvent()
    }

    func reports(of shard: Int) async throws(StoreError) -> (reports: [ShardReport], last: UInt64)? {
        try await reader(of: shard).reports()
    }

    func forgetReports(of shard: Int, upTo number: UInt64) async throws(StoreError) {
        try await reader(of: shard).forgetReports(upTo: number)
    }
}

/// Reads one other shard, on a thread of its own, as its calls wait for the server.
private actor ShardReader {
    /// Reports that are read at once.
    private static let reportsAtOnce: Int64 = 256
    /// The last sign of life of the shard's process, and how far it has come.
    private static let progress = Statement(
        "shard_progress",
        """
        select incarnation, heartbeat, is_released, coalesce((select record from meta where key = $1), '')
        from writer where one
        """)

    /// Makes a process that has given no sign of life since one that it has lost the shard.
    ///
    /// `$1`, `$2`: its last heartbeat. No row: it has given one.
    private static let replace = Statement(
        "shard_replace",
        """
        update writer set incarnation = gen_random_uuid(), is_released = true
        where one and incarnation = $1 and heartbeat = $2 returning 1
        """)
    /// How many orders there are, at most `$1`.
    private static let count = Statement(
        "orders_count", "select count(*) from (select from orders order by number limit $1) o")
    /// How long a count holds.
    private static let countAge = Duration.seconds(1)
    private static let oldestEvent = Statement(
        "orders_oldest_event", "select record from orders where kind = $1 order by number limit 1")

    /// What a shard's process has come to.
    struct Look: Sendable {
        var heartbeat: Heartbeat
        var isReleased: Bool
        /// Orders up to this number are done with.
        var cleared: UInt64
    }

    private nonisolated let executor = BlockingExecutor(label: "kasia.store.shard")
    private let schema: ShardSchema
    /// What the names of all writers' connections begin with.
    private let settings: ConnectionSettings
    private let open: @Sendable (ShardSchema) throws(StoreError) -> Store
    private var connection: LastingConnection
    private var opened: Store?
    /// The last count, and the heartbeat that was seen with it and when it was new.
    private var counted: (isBehind: Bool, at: ContinuousClock.Instant)?
    private var alive: (heartbeat: Heartbeat, since: ContinuousClock.Instant)?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        _ schema: ShardSchema, _ settings: ConnectionSettings,
        open: @escaping @Sendable (ShardSchema) throws(StoreError) -> Store
    ) {
        self.schema = schema
        self.settings = settings
        connection = LastingConnection(settings.of(schema))
        self.open = open
    }

    /// The shard, opened to read.
    func store() throws(StoreError) -> Store {
        if let opened { return opened }
        let new = try open(schema)
        opened = new
        return new
    }

    func look() throws(StoreError) -> Look {
        try connection.ask { (connection) throws(PostgresError) in
            let rows = try connection.run([(ShardReader.progress, [.bytes(MetaKey.clearedOrder)])])[0]
            let cleared = rows.bytes(0, 3).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Look(
                heartbeat: Heartbeat(incarnation: rows.bytes(0, 0), number: try rows.int64(0, 1)),
                isReleased: try rows.bool(0, 2), cleared: cleared)
        }
    }

    /// Takes the shard from a process whose last heartbeat this still is, and ends its connection.
    ///
    /// If it is cut off from that, nobody else could take the shard. False: it has given another sign of life.
    func replace(_ heartbeat: Heartbeat) throws(StoreError) -> Bool {
        let name = settings.name(of: heartbeat.incarnation)
        return try connection.ask { (connection) throws(PostgresError) in
            let isReplaced =
                try connection.run([
                    (WriterStatements.begin, []), (WriterStatements.durable, []),
                    (ShardReader.replace, [.uuid(heartbeat.incarnation), .int64(heartbeat.number)]),
                    (WriterStatements.commit, []),
                ])[2].count > 0
            if isReplaced {
                _ = try connection.run([
                    (WriterStatements.endHolder, [.int64(WriterStatements.lockKey), .text(name)])
                ])
            }
            return isReplaced
        }
    }

    /// Whether there are more orders than `limit`, and a process that takes them.
    func isBehind(by limit: Int, lease: Duration) throws(StoreError) -> Bool {
        let now = ContinuousClock.now
        if let counted, now - counted.at < ShardReader.countAge { return counted.isBehind }
        let look = try look()
        if alive?.heartbeat != look.heartbeat { alive = (look.heartbeat, now) }
        let lives = !look.isReleased && alive.map { now - $0.since < lease } ?? false
        let orders = try connection.ask { (connection) throws(PostgresError) in
            try connection.run([(ShardReader.count, [.int64(Int64(clamping: limit) + 1)])])[0].int64(0, 0)
        }
        counted = (lives && orders > Int64(clamping: limit), now)
        return lives && orders > Int64(clamping: limit)
    }

    func oldestOrderedEvent() throws(StoreError) -> [UInt8]? {
        try connection.ask { (connection) throws(PostgresError) in
            let kind = Parameter.int16(ShardOrder.Kind.event.rawValue)
            let rows = try connection.run([(ShardReader.oldestEvent, [kind])])[0]
            return rows.count > 0 ? rows.bytes(0, 0) : nil
        }
    }

    func reports() throws(StoreError) -> (reports: [ShardReport], last: UInt64)? {
        let found = try connection.ask { (connection) throws(PostgresError) -> [(Int64, Int16, [UInt8], [UInt8])] in
            let rows = try connection.run([(ShardSchema.reports, [.int64(ShardReader.reportsAtOnce)])])[0]
            var found: [(Int64, Int16, [UInt8], [UInt8])] = []
            for row in 0..<rows.count {
                found.append((try rows.int64(row, 0), try rows.int16(row, 1), rows.bytes(row, 2), rows.bytes(row, 3)))
            }
            return found
        }
        guard let last = found.last else { return nil }
        var reports: [ShardReport] = []
        for (_, kind, device, record) in found {
            guard let kind = ShardReport.Kind(rawValue: kind) else {
                throw StoreError(.newerSchema, "a shard reports what this program does not know: run the newer program")
            }
            reports.append(ShardReport(kind, DeviceID(bytes: device), record: record))
        }
        return (reports, UInt64(clamping: last.0))
    }

    func forgetReports(upTo number: UInt64) throws(StoreError) {
        try connection.ask { (connection) throws(PostgresError) in
            _ = try connection.run([(ShardSchema.deleteReports, [.int64(Int64(clamping: number))])])
        }
    }
}
