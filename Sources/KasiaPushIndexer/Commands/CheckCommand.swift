import ArgumentParser
import Clocks
import Push
import Store
import Synchronization

/// `kasia-push-indexer check`: recounts the store and finds rows without their counterpart.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read the whole store, recount its totals, and report rows that contradict each other.",
        discussion: """
            It only reads, and may run beside the service. The exit code is 0 when all is well, else 1. With --repair, \
            which needs the service stopped, indexes and totals are first rebuilt from the primary rows.
            """)

    @OptionGroup var store: MaintenanceStore

    @Flag(name: .long, help: "Rebuild indexes and totals. Stop the service first.")
    var repair = false

    func run() async throws {
        try await store.open(readOnly: !repair) { store, _ in
            if repair { try await mend(store) }
            var problems: UInt64 = 0
            for shard in try await store.allShards() {
                if store.shards.count > 1 { print("Shard \(shard.shards.own) of \(store.shards.count):") }
                let check = try shard.checkBooks()
                tell(check, of: shard)
                problems += check.problemCount
            }
            print(problems == 0 ? "All is well." : "\(Counted(problems, "problem")).")
            if problems > 0 { throw ExitCode.failure }
        }
    }

    private func tell(_ check: StoreCheck, of shard: Store) {
        for family in ColumnFamily.allCases where shard.shards.own == 0 || family.isOfEachShard {
            print("\(family.rawValue): \(Counted(check.rows[family] ?? 0, "row"))")
        }
        let books = check.books
        print(
            "events: \(books.eventsCreated) created = \(books.eventsQueued) queued + "
                + "\(books.eventsFannedOut) fanned out + \(books.eventsWithdrawn) withdrawn + "
                + "\(books.eventsUnresolved) waiting for their sender + \(books.eventsSuppressed) suppressed + "
                + "\(books.eventsExpired) expired")
        print(
            "deliveries: \(books.deliveriesCreated) created = \(books.deliveriesQueued) queued + "
                + "\(books.deliveriesDelivered) delivered + \(books.deliveriesDead) dead + "
                + "\(books.deliveriesExpired) expired + \(books.deliveriesSuppressed) suppressed")
        for problem in check.problems { print("problem: \(problem)") }
    }

    private func mend(_ store: Store) async throws {
        let lastSaid = Mutex<(ColumnFamily?, ContinuousClock.Instant)>((nil, .now))
        let repair = try await store.repairIndexes(now: try store.restingTime(wall: MachineClock.system.wall())) {
            family, rows in
            // Every family once, and a long one every two seconds.
            lastSaid.withLock { last in
                guard last.0 != family || ContinuousClock.now - last.1 >= .seconds(2) else { return }
                last = (family, .now)
                StandardError.say("\(family.rawValue): \(Counted(rows, "row")) looked at")
            }
        }
        for family in ColumnFamily.allCases {
            if let count = repair.added[family] {
                print("repaired: \(family.rawValue): \(Counted(count, "row")) put right")
            }
            if let count = repair.removed[family] {
                print("repaired: \(family.rawValue): \(Counted(count, "row")) removed")
            }
        }
        for total in repair.totals { print("repaired: \(total)") }
        if repair.changedNothing { print("Nothing had to be repaired.") }
    }
}
