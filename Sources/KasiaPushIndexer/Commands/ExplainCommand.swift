import ArgumentParser
import Clocks
import Kaspa
import Push
import Store

/// `kasia-push-indexer explain`: why a transaction was pushed to a device, or was not.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Show which devices were notified of a transaction, which were not, and why.",
        discussion: """
            No content is shown. The rules are applied to the registrations as they are now; what was sent is read \
            from the delivery log, which is kept for 7 days. It only reads, and may run beside the service. While the \
            service has paused sending, the last line says why and when it tries again. Times are milliseconds since \
            1970.
            """)

    @OptionGroup var store: MaintenanceStore

    @Option(name: .long, help: "The transaction id, 64 hex digits.")
    var tx: String

    @Option(name: .long, help: "A device token as its app got it: explain only this device.")
    var token: String?

    @Option(name: .long, help: "The most devices to explain of each watcher list.")
    var limit = 100

    func validate() throws {
        guard Hash(tx) != nil else { throw ValidationError("--tx must be 64 hex digits") }
        guard token.map({ TokenText.bytes($0) != nil }) ?? true else {
            throw ValidationError("--token must be a device token: Apple's in hex, or the text that its app got")
        }
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit must be 1 to 100000") }
    }

    func run() async throws {
        try await store.open(readOnly: true) { store, configuration in
            let lines = try await Explainer(
                store: store, now: try await store.restingTime(wall: MachineClock.system.wall())
            )
            .explain(
                Hash(tx) ?? .zero, token: token.flatMap { TokenText.bytes($0) }, limit: limit)
            for line in lines { print(line) }
            let trouble = await ControlClient.ask(.sending, storePath: configuration.store.path)
            if let trouble, !trouble.isEmpty { print(trouble) }
        }
    }
}
