import Dispatch
import Foundation
import Synchronization
import Testing

@testable import API

@Suite("ReadPool", .timeLimit(.minutes(5)))
struct ReadPoolTests {
    /// Holds a pool's threads until it is opened.
    private struct Gate: Sendable {
        let entered = DispatchSemaphore(value: 0)
        let opened = DispatchSemaphore(value: 0)

        func pass() {
            entered.signal()
            opened.wait()
        }
    }

    /// What happened, in its order.
    private final class Ledger: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private static func waitFor(_ count: Int, in pool: ReadPool) async throws {
        try await eventually("\(count) wait") { pool.waitingCount == count }
    }

    @Test("so many may wait and no more; the next is refused, and a patient one is not", arguments: [1, 2, 3])
    func bound(_ maximum: Int) async throws {
        let (pool, gate) = (ReadPool(threads: 1, waiting: maximum), Gate())
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                try await pool.run(for: [1]) {
                    gate.pass(); return 0
                }
            }
            try await eventually("the thread is busy") { gate.entered.wait(timeout: .now()) == .success }
            for number in 1...maximum {
                group.addTask { try await pool.run(for: [1]) { number } }
                try await Self.waitFor(number, in: pool)
            }
            await #expect(throws: ReadPoolFull.self) { try await pool.run(for: [1]) { -1 } }
            let patient = Task { try await pool.run(for: [1], isPatient: true) { 100 } }
            #expect(pool.waitingCount == maximum)
            gate.opened.signal()
            #expect(try await patient.value == 100)
            #expect(try await group.reduce(0, +) == maximum * (maximum + 1) / 2)
        }
        #expect(pool.waitingCount == 0)
    }

    @Test("a client with a full queue loses its newest read to another client's only one")
    func fair() async throws {
        let (pool, gate) = (ReadPool(threads: 1, waiting: 60), Gate())
        let (order, refused) = (Ledger(), Ledger())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await pool.run(for: [1]) { gate.pass() } }
            try? await eventually("the thread is busy") { gate.entered.wait(timeout: .now()) == .success }
            for number in 1...60 {
                group.addTask {
                    do {
                        try await pool.run(for: [1]) { order.add("many \(number)") }
                    } catch {
                        refused.add("\(number)")
                    }
                }
                try? await Self.waitFor(number, in: pool)
            }
            group.addTask { try? await pool.run(for: [2]) { order.add("one") } }
            try? await eventually("the newest is refused") { refused.all == ["60"] }
            gate.opened.signal()
        }
        #expect(order.all == ["many 1", "one"] + (2...59).map { "many \($0)" })
    }

    @Test("as many reads run at once as there are threads, none of them on a thread of the caller's")
    func threads() async throws {
        let (pool, gate) = (ReadPool(), Gate())
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    try await pool.run(for: [1]) {
                        gate.pass()
                        return Thread.current is ReadThread
                    }
                }
            }
            try await Self.waitFor(5 - ReadPool.threads, in: pool)
            for _ in 0..<5 { gate.opened.signal() }
            for try await isItsOwn in group { #expect(isItsOwn) }
        }
    }

    @Test("what a read throws reaches its caller, and the thread goes on")
    func errors() async throws {
        struct Fault: Error {}
        let pool = ReadPool(threads: 1)
        for _ in 0..<3 { await #expect(throws: Fault.self) { try await pool.run(for: [1]) { throw Fault() } } }
        #expect(try await pool.run(for: [1]) { 7 } == 7)
    }
}
