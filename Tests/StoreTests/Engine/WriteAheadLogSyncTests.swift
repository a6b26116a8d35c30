import Foundation
import Synchronization
import Testing

@testable import Store

@Suite("Group commit", .timeLimit(.minutes(5)))
struct WriteAheadLogSyncTests {
    /// An fsync that blocks until it is let go, and fails when told to.
    private final class SlowLog: Sendable {
        let calls = Atomic<Int>(0)
        let begun = DispatchSemaphore(value: 0)
        private let admission = DispatchSemaphore(value: 0)
        private let failing = Mutex<Set<Int>>([])

        func fail(call: Int) { _ = failing.withLock { $0.insert(call) } }

        func letGo() { admission.signal() }

        func sync() throws(StoreError) {
            let call = calls.add(1, ordering: .relaxed).newValue
            begun.signal()
            // A wrong count of calls must fail the test, not hold its thread for good.
            guard admission.wait(timeout: .now() + 300) == .success else { throw StoreError(.engine, "not let go") }
            if failing.withLock({ $0.contains(call) }) { throw StoreError(.inputOutput, "call \(call)") }
        }
    }

    private func makeSync(_ log: SlowLog) -> WriteAheadLogSync {
        WriteAheadLogSync { () throws(StoreError) in try log.sync() }
    }

    /// Waits for a semaphore off the cooperative pool.
    private func wait(_ semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                semaphore.wait()
                continuation.resume()
            }
        }
    }

    @Test("Each call in turn has an fsync of its own")
    func oneByOne() async throws {
        let log = SlowLog()
        let syncer = makeSync(log)
        for call in 1...3 {
            log.letGo()
            try await syncer.sync()
            #expect(log.calls.load(ordering: .relaxed) == call)
        }
    }

    @Test("Calls that come while an fsync runs wait for one more, not for it and not for one each")
    func shared() async throws {
        let log = SlowLog()
        let syncer = makeSync(log)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await syncer.sync() }
            await wait(log.begun)
            for _ in 0..<50 { group.addTask { try await syncer.sync() } }
            while syncer.ticketsGiven < 51 { await Task.yield() }
            log.letGo()
            log.letGo()
            try await group.waitForAll()
        }
        #expect(log.calls.load(ordering: .relaxed) == 2)
    }

    @Test("Everybody who waited for a failed fsync hears of it; later writes get a new one")
    func failure() async throws {
        let log = SlowLog()
        let syncer = makeSync(log)
        log.fail(call: 2)
        let failures = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await syncer.sync()
                return false
            }
            await wait(log.begun)
            for _ in 0..<10 {
                group.addTask {
                    do {
                        try await syncer.sync()
                        return false
                    } catch {
                        return (error as? StoreError) == StoreError(.inputOutput, "call 2")
                    }
                }
            }
            while syncer.ticketsGiven < 11 { await Task.yield() }
            log.letGo()
            log.letGo()
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 10)
        #expect(log.calls.load(ordering: .relaxed) == 2)
        log.letGo()
        try await syncer.sync()
        #expect(log.calls.load(ordering: .relaxed) == 3)
    }
}
