import ArgumentParser
import Clocks
import Kaspa
import Push
import Store

/// `kasia-push-indexer outbox`: lists waiting deliveries and dead letters, and retries dead letters.
struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "List deliveries that wait or were given up, and retry those that were given up.",
        discussion: """
            list and dead only read, and may run beside the service. retry changes the store: stop the service first.
            """,
        subcommands: [List.self, Dead.self, Retry.self])

    /// How many rows are shown without `--limit`.
    private static let defaultLimit = 100

    /// `--limit`, the same for all three.
    struct Limit: ParsableArguments {
        @Option(name: .long, help: "The most deliveries.")
        var limit = OutboxCommand.defaultLimit

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit must be a positive number") }
        }
    }

    /// `outbox list`: deliveries that wait or are in flight.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Deliveries that wait or are in flight, by device.")

        @OptionGroup var store: MaintenanceStore
        @OptionGroup var limit: Limit

        func run() async throws {
            try await store.open(readOnly: true) { store, _ in
                let books = try await store.outbox.books()
                print(
                    "\(Counted(books.deliveriesQueued, "delivery waits", "deliveries wait")), "
                        + "\(Counted(books.eventsQueued, "event is", "events are")) to be fanned out.")
                for waiting in try await store.outbox.waitingDeliveries(limit: limit.limit) {
                    let delivery = waiting.delivery
                    let due = waiting.due.map { "due \($0.readableTime)" } ?? "behind an earlier one"
                    let reason = waiting.entry.map(\.reason) ?? ""
                    let answer = reason.isEmpty ? "" : "  last answer \(reason)"
                    print(
                        "device \(delivery.device)  seq \(delivery.seq)  \(delivery.kind)  \(due)  "
                            + "attempts \(waiting.entry?.attempts ?? delivery.attempts)\(answer)  "
                            + "transaction \(delivery.transactionID)")
                }
            }
        }
    }

    /// `outbox dead`: dead letters.
    struct Dead: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Deliveries that were given up, the oldest first.")

        @OptionGroup var store: MaintenanceStore
        @OptionGroup var limit: Limit

        func run() async throws {
            try await store.open(readOnly: true) { store, _ in
                print(
                    "\(Counted(try await store.outbox.books().deadLetters, "dead letter is", "dead letters are")) kept."
                )
                for letter in try await store.outbox.deadLetters(limit: limit.limit) {
                    let entry = letter.entry
                    print(
                        "device \(entry.device)  seq \(entry.seq)  \(entry.kind)  \(entry.state) "
                            + "\(entry.changedAt.readableTime)  reason \(entry.reason.isEmpty ? "none" : entry.reason)  "
                            + "attempts \(entry.attempts)  transaction \(entry.transactionID)")
                }
            }
        }
    }

    /// `outbox retry`: puts dead letters back into the outbox.
    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put dead letters back into the outbox, the oldest first. Stop the service first.",
            discussion: """
                They keep their sequence number and their apns-id, are due at once, and are given up again after \
                push.expiration. Transactions that the chain no longer accepts are skipped.
                """)

        @OptionGroup var store: MaintenanceStore
        @OptionGroup var limit: Limit

        func run() async throws {
            try await store.open(readOnly: false) { store, configuration in
                let now = try await store.restingTime(wall: MachineClock.system.wall())
                let (retried, untrue) = try await store.outbox.retryDeadLetters(
                    limit: limit.limit, now: now,
                    expiresAt: now.later(by: configuration.push.expiration.millisecondsRoundedDown))
                try await store.sync()
                print("\(Counted(retried, "delivery waits", "deliveries wait")) again.")
                if untrue > 0 {
                    print("\(Counted(untrue, "was", "were")) passed over: untrue since a reorganisation.")
                }
            }
        }
    }
}
