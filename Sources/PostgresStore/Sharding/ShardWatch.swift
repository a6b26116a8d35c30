import Postgres
public import Store

/// Watches the heartbeats of the processes that work on the shards other than 0, all in one question.
///
/// Only its own clock counts, as for `StandbyWatch`. Call `free` some times a second.
public actor ShardWatch {
    private nonisolated let executor = BlockingExecutor(label: "kasia.store.shard-watch")
    private nonisolated let watches: [Int: StandbyWatch]
    private let count: Int
    private var connection: LastingConnection

    /// A thread of its own, as its calls wait for the server.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Of a store that is, or will be, shared out into `count`.
    public init(_ location: PostgresStore.Location, count: Int) {
        self.init(location, count: count, times: .service)
    }

    init(_ location: PostgresStore.Location, count: Int, times: ServerTimes) {
        self.count = count
        let others = ShardPlan(count: count).others
        watches = Dictionary(uniqueKeysWithValues: others.map { ($0, StandbyWatch(times.lease)) })
        var settings = location.settings(session: PostgresStore.session)
        settings.deadline = times.deadline
        settings.history = ServerHistory()
        connection = LastingConnection(settings)
    }

    /// What has been seen of a shard, for who opens it.
    public nonisolated func watch(of shard: Int) -> StandbyWatch? { watches[shard] }

    /// The shards that no process works on; nil while the store is shared out otherwise, or no chain was ever followed, as
    /// nothing is known of what time it is then.
    ///
    /// Errors: `StoreError`, after which the next call connects anew.
    public func free() throws(StoreError) -> Set<Int>? {
        let count = count
        let found = try connection.ask { (connection) throws(PostgresError) -> [(Int, Heartbeat, Bool)]? in
            let (present, main) = try ShardCount.find(connection)
            guard present == count, count > 1 else { return nil }
            let schema = ShardSchema(main: main, shard: 1)
            guard try connection.run([(schema.mainMeta, [.bytes(MetaKey.clock)])])[0].count > 0 else { return nil }
            let rows = try connection.run([(ShardWatch.question(count: count, main: main), [])])[0]
            var found: [(Int, Heartbeat, Bool)] = []
            for row in 0..<rows.count {
                found.append(
                    (
                        Int(try rows.int32(row, 0)),
                        Heartbeat(incarnation: rows.bytes(row, 1), number: try rows.int64(row, 2)),
                        try rows.bool(row, 3)
                    ))
            }
            return found
        }
        guard let found else { return nil }
        var free: Set<Int> = []
        for (shard, heartbeat, isReleased) in found
        where watches[shard]?.note(heartbeat, isReleased: isReleased) == true { free.insert(shard) }
        return free
    }

    private static func question(count: Int, main: String) -> Statement {
        let parts = ShardPlan(count: count).others.map { shard in
            let writer = ShardSchema(main: main, shard: shard).quoted + ".writer"
            return "select \(shard), incarnation, heartbeat, is_released from \(writer) where one"
        }
        return Statement("shard_heartbeats", parts.joined(separator: " union all "))
    }
}
