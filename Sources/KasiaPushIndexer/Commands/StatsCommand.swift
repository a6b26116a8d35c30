import ArgumentParser
import Store

/// `kasia-push-indexer stats`: the store in numbers.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Print how much the store holds and how far the chain is followed.",
        discussion: "It only reads, takes a moment, and may run beside the service. Rows are RocksDB's estimates.")

    @OptionGroup var store: MaintenanceStore

    func run() async throws {
        try await store.open(readOnly: true) { store, configuration in
            print("store: \(configuration.store.path), \(store.network), schema version \(SchemaVersion.current)")
            if let cursor = try store.cursor() {
                print(
                    "chain: followed to \(cursor.blockHash), DAA score \(cursor.daaScore), "
                        + (cursor.timestamp == 0 ? "time unknown" : cursor.timestamp.readableTime))
            } else {
                print("chain: nothing is read yet")
            }
            let totals = try store.totals()
            let books = try store.books()
            print("devices: \(totals.devices), watch entries: \(totals.watchEntries)")
            print(
                "waiting: \(totals.events) events, \(totals.longEvents) of them with many watchers, "
                    + "\(totals.deliveries) deliveries")
            print(
                "so far: \(books.eventsCreated) events, \(books.deliveriesDelivered) deliveries delivered, "
                    + "\(books.deliveriesDead) dead, \(books.deliveriesExpired) expired, "
                    + "\(books.deliveriesSuppressed) suppressed; \(books.deadLetters) dead letters are kept")
            let families = store.statistics()
            for family in families {
                print(
                    "\(family.family.rawValue): \(family.rows) rows, \(ByteCount(family.diskBytes)) on disk, "
                        + "\(ByteCount(family.memoryBytes)) in memory")
            }
            print("all tables: \(ByteCount(families.reduce(0) { $0 + $1.diskBytes })) on disk")
        }
    }
}
