import ArgumentParser
import Store

/// `kasia-push-indexer check`: recounts the store and looks for rows that lost their counterpart.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Read the whole store, recount its books, and look for rows that do not fit.",
        discussion: "It only reads, and may run beside the service. The exit code is 0 when all is well, else 1.")

    @OptionGroup var store: MaintenanceStore

    func run() async throws {
        try await store.open(readOnly: true) { store, _ in
            let check = try store.checkBooks()
            for family in ColumnFamily.allCases { print("\(family.rawValue): \(check.rows[family] ?? 0) rows") }
            let books = check.books
            print(
                "events: \(books.eventsCreated) created = \(books.eventsQueued) queued + "
                    + "\(books.eventsFannedOut) fanned out + \(books.eventsWithdrawn) withdrawn + "
                    + "\(books.eventsUnresolved) waiting for their sender + \(books.eventsSuppressed) suppressed")
            print(
                "deliveries: \(books.deliveriesCreated) created = \(books.deliveriesQueued) queued + "
                    + "\(books.deliveriesDelivered) delivered + \(books.deliveriesDead) dead + "
                    + "\(books.deliveriesExpired) expired + \(books.deliveriesSuppressed) suppressed")
            for problem in check.problems { print("problem: \(problem)") }
            print(check.isSound ? "All is well." : "\(check.problemCount) problems.")
            if !check.isSound { throw ExitCode.failure }
        }
    }
}
