import Foundation
import KasiaProtocol
import Kaspa
import Store
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
        try await store.upsertDevice(id) { _ in
            DeviceRecord(token: token, platform: .ios, createdAt: 0, lastSeen: 0, watchedAddresses: [sender])
        }
        let acceptance = OperationRecord.Acceptance(blockHash: .zero, daaScore: 1, blueScore: 1)
        let operation = OperationRecord(
            transactionID: transaction, kind: .contextualMessage, sender: sender, receiver: nil, amount: 0,
            blockHash: .zero, blockTime: 1_000, acceptance: acceptance,
            payload: Array("ciph_msg:1:comm:a:c2VhbGVk".utf8))
        _ = try await store.apply(
            ChainStep(
                removed: [], accepted: [AcceptedOperation(operation: operation, notifies: true)],
                cursor: ChainCursor(blockHash: .zero, daaScore: 1, blueScore: 1, timestamp: 1)),
            now: 2_000, withdrawsUnsent: false)
        let step = try await store.fanOut(
            event: 1, lists: [.address(sender)], limit: 9, ordinaryWatchers: 9, now: 3_000, expiresAt: 9_000
        ) { _, _ in .notify }
        _ = try await store.settle(
            [
                Settlement(
                    key: try #require(step.scheduled.first), transactionID: transaction, fate: .done, ending: .dead,
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
        #expect(dead.output.contains("1 dead letters are kept."))
        #expect(dead.output.contains("reason BadExpirationDate  attempts 1  transaction \(transaction)"))
        #expect(!dead.output.contains(Hex.encode(token)))
        let explained = try await run("explain", "--tx", transaction.description, "--token", Hex.encode(token))
        #expect(explained.status == 0)
        #expect(explained.output.contains("delivery 1 is dead after 1 attempt, last answer BadExpirationDate"))
        #expect(!explained.output.contains("c2VhbGVk"))
        let retried = try await run("outbox", "retry", "--limit", "5")
        #expect(retried.status == 0 && retried.output.contains("1 deliveries wait again."))
        let list = try await run("outbox", "list")
        #expect(list.status == 0)
        #expect(list.output.contains("1 deliveries wait, 0 events"))
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
        #expect(try store.books().deadLetters == 1)
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
