import ArgumentParser
import Store

/// `kasia-push-indexer stats`: the store in numbers.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Print how much the store holds and how far the chain is followed.",
        discussion: "It only reads, takes a moment, and may run beside the service. Row counts are estimates."
    )

    @OptionGroup var store: MaintenanceStore

    func run() async throws {
        try await store.open(readOnly: true) { store, configuration in
            print("store: \(configuration.store.location), \(store.network), schema version \(SchemaVersion.current)")
            if let cursor = try await store.history.cursor() {
                print(
                    "chain: followed to \(cursor.blockHash), DAA score \(cursor.daaScore), "
                        + (cursor.timestamp == 0 ? "time unknown" : cursor.timestamp.readableTime))
            } else {
                print("chain: nothing is read yet")
            }
            let totals = try await store.totals()
            print("devices: \(totals.devices), watch entries: \(totals.watchEntries)")
            for shard in try await store.allShards() {
                if store.shards.count > 1 { print("shard \(shard.shards.own) of \(store.shards.count):") }
                let (totals, books) = (try await shard.totals(), try await shard.outbox.books())
                print(
                    "waiting: \(Counted(totals.events, "event")), \(totals.longEvents) of them with many watchers, "
                        + "\(Counted.deliveries(totals.deliveries))")
                print(
                    "so far: \(Counted(books.eventsCreated, "event")), "
                        + "\(Counted.deliveries(books.deliveriesDelivered)) delivered, "
                        + "\(books.deliveriesDead) dead, \(books.deliveriesExpired) expired, "
                        + "\(books.deliveriesSuppressed) suppressed; "
                        + "\(Counted(books.deadLetters, "dead letter is", "dead letters are")) kept")
                guard shard.shards.own > 0 else { continue }
                let bytes = try await shard.statistics().lazy.filter(\.family.isOfEachShard)
                    .reduce(0 as UInt64) { $0 + $1.diskBytes }
                print("its tables: \(ByteCount(bytes)) on disk")
            }
            let families = try await store.statistics()
            for family in families {
                print(
                    "\(family.family.rawValue): \(Counted(family.rows, "row")), \(ByteCount(family.diskBytes)) on disk, "
                        + "\(ByteCount(family.memoryBytes)) in memory")
            }
            print("all tables: \(ByteCount(families.reduce(0) { $0 + $1.diskBytes })) on disk")
        }
    }
}
