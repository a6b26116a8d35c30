import Foundation
import TestRandom
import Testing

@testable import KasiaPushStore

// Serialized, so that the processes of one test are not starved by those of another.
@Suite(.serialized) struct TwoProcessesTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(.timeLimit(.minutes(5)))
    func `with processes killed at any moment nothing is lost, and nothing confirmed comes again`() async throws {
        let run = KillRun(file: folder.file)
        let seed = run.random.seed
        print("two processes: seed \(seed)")
        let (history, adderKills) = try await onThread {
            var run = run
            try run.run()
            return (run.history, run.adderKills)
        }
        #expect(history.problems == [], "seed \(seed)")
        #expect(history.added.count > KillRun.kills && history.sent.count > 10 && history.intents.count > 1)
        // A kill between a verb's end and its line leaves at most one message that was not announced.
        #expect(history.taken.subtracting(history.added).count <= adderKills, "seed \(seed)")

        let store = try await folder.store()
        #expect(try await store.pending.count() == 0)
        // A taker that was killed may have confirmed without saying so: the file knows. It remembers 1,000.
        let handled = try await store.handledNumbers()
        try #require(handled.count < PendingMessages.rememberedTransactions, "so many kills fit, seed \(seed)")
        #expect(history.added.subtracting(handled) == [], "nothing is lost, seed \(seed)")
        #expect(history.confirmed.subtracting(handled) == [], "nothing confirmed is forgotten, seed \(seed)")
        #expect(handled.subtracting(history.taken) == [], "nothing is confirmed before it is taken, seed \(seed)")

        let intents = try await store.connections.pendingSignOuts().compactMap { Int64($0.dropFirst("kaspa:".count)) }
        #expect(history.intents.subtracting(intents) == [], "no sign-out is lost, seed \(seed)")
        for number in history.sent {
            let sent = try await store.activity.transaction(transactionID(Int(number)))
            #expect(sent?.sentAt == number, "seed \(seed)")
            #expect(sent?.status == .pending || !history.pending.contains(number), "seed \(seed)")
        }
        #expect(try await store.integer("SELECT count(*) FROM apps") == 3)
    }

    @Test(.timeLimit(.minutes(5))) func `processes that open a new file at once all get it`() async throws {
        let file = folder.file
        let lines = try await onThread {
            var lines: [String?] = []
            for round in 0..<5 {
                let processes = try StoreProcesses()
                for _ in 0..<4 { _ = try processes.start("open", file + "\(round)") }
                processes.finishWriting()
                for _ in 0..<5 { lines.append(processes.line()) }
            }
            return lines
        }
        #expect(lines.count == 25)
        #expect(lines.enumerated().allSatisfy { $1 == ($0 % 5 < 4 ? "opened" : nil) })
    }

    /// Runs what waits for processes on a thread that may wait.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }
}

extension PushStore {
    /// The numbers of the transactions that are remembered as confirmed.
    fileprivate func handledNumbers() async throws -> Set<Int64> {
        let ids = try await database.read { connection throws(StoreError) in
            try connection.rows("SELECT transaction_id FROM handled_messages") { (row) throws(StoreError) in
                try row.text(0)
            }
        }
        return Set(ids.compactMap { Int64($0, radix: 16) })
    }
}
