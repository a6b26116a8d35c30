import ArgumentParser
import Clocks
import Kaspa
import PostgresStore
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
                let shards = try await store.allShards()
                var (deliveries, events): (UInt64, UInt64) = (0, 0)
                var found: [WaitingDelivery] = []
                for shard in shards {
                    let books = try await shard.outbox.books()
                    deliveries += books.deliveriesQueued
                    events += books.eventsQueued
                    // Shards follow one another in the order of devices.
                    found += try await shard.outbox.waitingDeliveries(limit: limit.limit - found.count)
                }
                print(
                    "\(Counted(deliveries, "delivery waits", "deliveries wait")), "
                        + "\(Counted(events, "event is", "events are")) to be fanned out.")
                for waiting in found {
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
                var count: UInt64 = 0
                var letters: [DeadLetter] = []
                for shard in try await store.allShards() {
                    count += try await shard.outbox.books().deadLetters
                    letters += try await shard.outbox.deadLetters(limit: limit.limit)
                }
                letters.sort { $0.entry.queuedAt < $1.entry.queuedAt }
                print("\(Counted(count, "dead letter is", "dead letters are")) kept.")
                for letter in letters.prefix(limit.limit) {
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
                let expiresAt = now.later(by: configuration.push.expiration.millisecondsRoundedDown)
                var (retried, untrue) = (0, 0)
                for number in 0..<store.shards.count {
                    let shard =
                        number == 0 ? store : try await configuration.store.openShard(number, of: store).store
                    let found = try await shard.outbox.retryDeadLetters(
                        limit: limit.limit - retried, now: now, expiresAt: expiresAt)
                    retried += found.retried
                    untrue += found.untrue
                    try await shard.sync()
                }
                print("\(Counted(retried, "delivery waits", "deliveries wait")) again.")
                if untrue > 0 {
                    print("\(Counted(untrue, "was", "were")) passed over: untrue since a reorganisation.")
                }
            }
        }
    }
}
