public import Clocks
public import Kaspa
import Postgres
public import Store

/// A shard other than 0 of a store, open to write: what is to be sent to its devices.
public final class StoreShard: OrderSource {
    /// Its rows; of the parts only `outbox` is its own, and the history is read.
    public let store: Store
    /// Its number, from 1.
    public let number: Int
    private let listener: OrderListener

    fileprivate init(_ store: Store, number: Int, listener: OrderListener) {
        self.store = store
        self.number = number
        self.listener = listener
    }

    /// The next orders after a number, at most `limit`; waits for some, but no longer than `patience`.
    public func orders(
        after number: UInt64, limit: Int, waitingAtMost patience: Duration
    ) async throws(StoreError) -> [NumberedOrder] {
        try await listener.orders(after: number, limit: limit, waitingAtMost: patience)
    }

    /// What the clocks of the process that follows the chain showed some seconds ago; nil before it has followed one.
    public func clockReading() async throws(StoreError) -> ClockReading? {
        try await listener.mainMeta(MetaKey.clock).map { (stored) throws(StoreError) in try ClockReading(stored: stored)
        }
    }
}

extension PostgresStore {
    /// Opens a shard of a store that is shared out into `count`, to write; `shard` is 1 ..< `count`.
    ///
    /// Blocks as `open`. Errors, besides those of `open`: `.locked` also while the store is not shared out so, as no
    /// process with this configuration has opened it yet.
    public static func openShard(
        _ shard: Int, of count: Int, _ location: Location, network: Network, limits: StoreLimits = StoreLimits(),
        standby: StandbyWatch? = nil
    ) throws(StoreError) -> StoreShard {
        try openShard(
            shard, of: count, location, network: network, limits: limits, standby: standby, times: .service)
    }

    package static func openShard(
        _ shard: Int, of count: Int, _ location: Location, network: Network, limits: StoreLimits = StoreLimits(),
        standby: StandbyWatch?, times: ServerTimes
    ) throws(StoreError) -> StoreShard {
        var settings = location.settings(session: session)
        settings.deadline = times.deadline
        settings.history = standby?.history ?? ServerHistory()
        let (found, main) = try checked { [settings] () throws(PostgresError) -> (Int, String) in
            try ShardCount.find(Connection(settings))
        }
        guard found == count else {
            throw StoreError(
                .locked,
                "the store at \(settings.target) has \(found) shards, and the process that follows the chain "
                    + "has not made them \(count)")
        }
        let schema = ShardSchema(main: main, shard: shard)
        let store = try open(
            location, network: network, limits: limits, readOnly: false, acceptsPartialCopy: false, standby: standby,
            times: times, upkeep: QueueUpkeep.Limits(), shard: schema)
        return StoreShard(store, number: shard, listener: OrderListener(schema, settings))
    }
}

extension ConnectionSettings {
    /// Those of a shard's connections.
    func of(_ schema: ShardSchema) -> ConnectionSettings {
        var settings = self
        settings.session.append(schema.searchPath)
        return settings
    }
}

/// Reads the orders of a shard, and hears when there are new ones, on a thread of its own.
private actor OrderListener {
    private nonisolated let executor = BlockingExecutor(label: "kasia.store.orders")
    private let schema: ShardSchema
    private var connection: LastingConnection

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ schema: ShardSchema, _ settings: ConnectionSettings) {
        self.schema = schema
        connection = LastingConnection(settings.of(schema), begin: "listen \(schema.quoted)")
    }

    /// A row of `meta` of the store itself.
    func mainMeta(_ key: [UInt8]) throws(StoreError) -> [UInt8]? {
        let question = schema.mainMeta
        return try connection.ask { (connection) throws(PostgresError) in
            let rows = try connection.run([(question, [.bytes(key)])])[0]
            return rows.count > 0 ? rows.bytes(0, 0) : nil
        }
    }

    func orders(
        after number: UInt64, limit: Int, waitingAtMost patience: Duration
    ) throws(StoreError) -> [NumberedOrder] {
        let found = try read(after: number, limit: limit)
        guard found.isEmpty else { return found }
        try connection.ask { (connection) throws(PostgresError) in
            // What was told of before is read anyhow.
            if try connection.waitForNotification(for: patience) { _ = try connection.notifications() }
        }
        return try read(after: number, limit: limit)
    }

    private func read(after number: UInt64, limit: Int) throws(StoreError) -> [NumberedOrder] {
        let found = try connection.ask { (connection) throws(PostgresError) -> [(Int64, Int16, [UInt8], [UInt8])] in
            let rows = try connection.run([
                (ShardSchema.orders, [.int64(Int64(clamping: number)), .int64(Int64(clamping: limit))])
            ])[0]
            var found: [(Int64, Int16, [UInt8], [UInt8])] = []
            for row in 0..<rows.count {
                found.append((try rows.int64(row, 0), try rows.int16(row, 1), rows.bytes(row, 2), rows.bytes(row, 3)))
            }
            return found
        }
        var orders: [NumberedOrder] = []
        for (number, kind, key, record) in found {
            guard let kind = ShardOrder.Kind(rawValue: kind) else {
                throw StoreError(.newerSchema, "a shard is told what this program does not know: run the newer program")
            }
            orders.append(
                NumberedOrder(number: UInt64(clamping: number), order: ShardOrder(kind, key: key, record: record)))
        }
        return orders
    }
}
