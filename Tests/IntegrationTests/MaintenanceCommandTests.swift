import APNsSandbox
import Foundation
import KasiaProtocol
import Kaspa
import KaspadReplay
import SampleOperations
import Store
import StoreSupport
import Testing

/// `outbox`, `check` and `explain`: the real executable on a real store.
@Suite("Maintenance commands", .timeLimit(.minutes(5)))
struct MaintenanceCommandTests {
    private let folder: URL
    private let token = [UInt8](repeating: 0x5a, count: 32)
    private let transaction = Hash(bytes: [UInt8](repeating: 7, count: 32)) ?? .zero

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-commands-\(UUID().uuidString)")
    }

    private func openStore() throws -> Store { try Store(path: folder.path, network: .mainnet) }

    /// One device, one message, given up for this reason.
    private func makeDeadLetter(in store: Store) async throws {
        let sender = try #require(
            Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: 1, count: 32)))
        let id = DeviceID(token: token)
        try await store.registry.upsertDevice(id) { _ in
            DeviceRecord(token: token, platform: .ios, createdAt: 0, lastSeen: 0, watchedAddresses: [sender])
        }
        let acceptance = OperationRecord.Acceptance(blockHash: .zero, daaScore: 1, blueScore: 1)
        let operation = OperationRecord(
            transactionID: transaction, kind: .contextualMessage, sender: sender, receiver: nil, amount: 0,
            blockHash: .zero, blockTime: 1_000, acceptance: acceptance,
            payload: Array("ciph_msg:1:comm:a:c2VhbGVk".utf8))
        _ = try await store.history.apply(
            ChainStep(
                removed: [], accepted: [AcceptedOperation(operation: operation, notifies: true)],
                cursor: ChainCursor(blockHash: .zero, daaScore: 1, blueScore: 1, timestamp: 1)),
            now: 2_000, withdrawsUnsent: false)
        let step = try await store.outbox.fanOut(
            event: 1, lists: [.address(sender)], limit: 9, ordinaryWatchers: 9, now: 3_000, expiresAt: 9_000
        ) { _, _ in .notify }
        _ = try await store.outbox.settle(
            [
                Settlement(
                    key: try #require(step.scheduled.first), transactionID: transaction, next: .done, ending: .dead,
                    reason: "BadExpirationDate")
            ], now: 4_000)
        try await store.sync()
    }

    /// The same in a store that nobody uses any more.
    private func closedWithDeadLetter() async throws -> StoreClosing {
        let store = try openStore()
        try await makeDeadLetter(in: store)
        return store.closing
    }

    /// Runs the executable to its end.
    private func run(_ arguments: String...) async throws -> (status: Int32, output: String) {
        let result = try await Executable.run(arguments, environment: ["STORE_PATH": folder.path])
        return (result.status, result.output)
    }

    @Test("A dead letter is listed, explained and retried, and the books hold")
    func deadLetter() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let closing = try await closedWithDeadLetter()
        #expect(await closing.wait(atMost: .seconds(60)))
        let dead = try await run("outbox", "dead")
        #expect(dead.status == 0)
        #expect(dead.output.contains("1 dead letter is kept."))
        #expect(dead.output.contains("reason BadExpirationDate  attempts 1  transaction \(transaction)"))
        #expect(!dead.output.contains(Hex.encode(token)))
        let explained = try await run("explain", "--tx", transaction.description, "--token", Hex.encode(token))
        #expect(explained.status == 0)
        #expect(explained.output.contains("delivery 1 is dead after 1 attempt, last answer BadExpirationDate"))
        #expect(!explained.output.contains("c2VhbGVk"))
        let retried = try await run("outbox", "retry", "--limit", "5")
        #expect(retried.status == 0 && retried.output.contains("1 delivery waits again."))
        let list = try await run("outbox", "list")
        #expect(list.status == 0)
        #expect(list.output.contains("1 delivery waits, 0 events are"))
        #expect(list.output.contains("last answer BadExpirationDate"))
        let check = try await run("check")
        #expect(check.status == 0 && check.output.contains("All is well."), "\(check.output)")
        #expect(check.output.contains("deliveries: 1 created = 1 queued + 0 delivered + 0 dead"))
    }

    @Test("While the store is open elsewhere it can be read; a retry says that the service must be stopped")
    func locked() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try openStore()
        try await makeDeadLetter(in: store)
        #expect(try await run("outbox", "dead").status == 0)
        #expect(try await run("check").status == 0)
        let retry = try await run("outbox", "retry")
        #expect(retry.status == 1)
        #expect(retry.output.contains("Stop the service first"))
        #expect(try await store.outbox.books().deadLetters == 1)
    }

    @Test("While Apple throttles, the status page's data, readiness and explain say when the next try is")
    func paused() async throws {
        try await FaultWorld.with { faults in
            let world = faults.world
            let throttled = SandboxAnswer(status: 429, reason: "TooManyProviderTokenUpdates")
            world.sandbox.addRule(SandboxRule(.answer(throttled)))
            let indexer = try await IndexerProcess(environment: world.environment)
            try await faults.registerAll(indexer.rest)
            let before = try await explain(transaction, world)
            #expect(before.status == 0 && !before.output.contains("Sending"), "\(before.output)")
            await world.replay.advanceToEnd()
            let pause = "Apple throttles the provider token; next try in "
            for path in ["/ready", "/status.json"] {
                try await eventually("\(path) tells of the pause") {
                    String(decoding: try await indexer.rest.send("GET", path).body, as: UTF8.self).contains(pause)
                }
            }
            let told = try #require(faults.golden.notifications.first)
            let explained = try await explain(try #require(Hash(told.transactionID)), world)
            let last = try #require(explained.output.split(separator: "\n").last)
            #expect(last.hasPrefix("Sending is paused: " + pause) && last.hasSuffix(" s."), "\(explained.output)")
            #expect(await indexer.end(SIGTERM) == 0)
            let stopped = try await explain(try #require(Hash(told.transactionID)), world)
            #expect(stopped.status == 0 && !stopped.output.contains("Sending"), "\(stopped.output)")
        }
    }

    private func explain(_ id: TransactionID, _ world: World) async throws -> (status: Int32, output: String) {
        let result = try await Executable.run(["explain", "--tx", id.description], environment: world.environment)
        return (result.status, result.output)
    }

    @Test("Wrong options and a store that is not there are refused")
    func refusals() async throws {
        let missing = try await run("outbox", "list")
        #expect(missing.status == 1 && missing.output.contains("store.path"))
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        let limit = try await run("outbox", "dead", "--limit", "0")
        #expect(limit.status != 0)
        let transaction = try await run("explain", "--tx", "abc")
        #expect(transaction.status != 0 && transaction.output.contains("64 hex digits"))
    }
}
