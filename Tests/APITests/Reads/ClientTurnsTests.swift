import Synchronization
import Testing

@testable import API

@Suite("ClientTurns", .timeLimit(.minutes(5)))
struct ClientTurnsTests {
    /// Holds reads until it is opened.
    private final class Barrier: Sendable {
        private struct State {
            var entered = 0
            var permits = 0
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())
        var entered: Int { state.withLock { $0.entered } }

        func pass() async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    state.entered += 1
                    guard state.permits == 0 else {
                        state.permits -= 1
                        return true
                    }
                    state.waiting.append(continuation)
                    return false
                }
                if isOpen { continuation.resume() }
            }
        }

        /// Lets one read go on.
        func open() {
            let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard !state.waiting.isEmpty else {
                    state.permits += 1
                    return nil
                }
                return state.waiting.removeFirst()
            }
            next?.resume()
        }
    }

    /// What happened, in its order.
    private final class Ledger: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private static func waitFor(_ count: Int, in turns: ClientTurns) async throws {
        try await eventually("\(count) wait") { turns.waitingCount == count }
    }

    @Test("so many may wait and no more; the next is refused, and an exempt one is not", arguments: [1, 2, 3])
    func bound(_ maximum: Int) async throws {
        let (turns, barrier) = (ClientTurns(atOnce: 1, waiting: maximum), Barrier())
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                try await turns.run(for: [1]) {
                    await barrier.pass()
                    return 0
                }
            }
            try await eventually("one reads") { barrier.entered == 1 }
            for number in 1...maximum {
                group.addTask { try await turns.run(for: [1]) { number } }
                try await Self.waitFor(number, in: turns)
            }
            await #expect(throws: TooManyWaiting.self) { try await turns.run(for: [1]) { -1 } }
            let exempt = Task { try await turns.run(for: [1], isExempt: true) { 100 } }
            #expect(turns.waitingCount == maximum)
            barrier.open()
            #expect(try await exempt.value == 100)
            #expect(try await group.reduce(0, +) == maximum * (maximum + 1) / 2)
        }
        #expect(turns.waitingCount == 0)
    }

    @Test("a client with a full queue loses its newest read to another client's only one")
    func fair() async throws {
        let (turns, barrier) = (ClientTurns(atOnce: 1, waiting: 60), Barrier())
        let (order, refused) = (Ledger(), Ledger())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await turns.run(for: [1]) { await barrier.pass() } }
            try? await eventually("one reads") { barrier.entered == 1 }
            for number in 1...60 {
                group.addTask {
                    do {
                        try await turns.run(for: [1]) { order.add("many \(number)") }
                    } catch {
                        refused.add("\(number)")
                    }
                }
                try? await Self.waitFor(number, in: turns)
            }
            group.addTask { try? await turns.run(for: [2]) { order.add("one") } }
            try? await eventually("the newest is refused") { refused.all == ["60"] }
            barrier.open()
        }
        #expect(order.all == ["many 1", "one"] + (2...59).map { "many \($0)" })
    }

    @Test("so many run at once and no more", arguments: [1, 2, 3])
    func atOnce(_ count: Int) async throws {
        let (turns, barrier) = (ClientTurns(atOnce: count), Barrier())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { try await turns.run(for: [1]) { await barrier.pass() } } }
            try await Self.waitFor(5 - count, in: turns)
            #expect(barrier.entered == count)
            for _ in 0..<5 { barrier.open() }
            try await group.waitForAll()
        }
        #expect(barrier.entered == 5 && turns.waitingCount == 0)
    }

    @Test("what the work throws reaches its caller, and the next has its turn")
    func errors() async throws {
        struct Fault: Error {}
        let turns = ClientTurns(atOnce: 1)
        for _ in 0..<3 { await #expect(throws: Fault.self) { try await turns.run(for: [1]) { throw Fault() } } }
        #expect(try await turns.run(for: [1]) { 7 } == 7)
    }

    private final class Tally: Sendable {
        struct State {
            var order: [String] = []
            var running = 0
            var most = 0
            var isOpen = false
        }

        let state = Mutex(State())
    }

    @Test("so many at once and no more; the others wait in turn, client by client", arguments: [1, 4])
    func clients(_ atOnce: Int) async throws {
        let turns = ClientTurns(atOnce: atOnce)
        let ledger = Tally()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // The first hold all places until all others wait.
            for _ in 0..<atOnce {
                group.addTask {
                    try await turns.run(for: [0]) {
                        ledger.state.withLock { $0.running += 1 }
                        try await eventually("it is opened") { ledger.state.withLock { $0.isOpen } }
                        ledger.state.withLock { $0.running -= 1 }
                    }
                }
            }
            try await eventually("all places are taken") { ledger.state.withLock { $0.running } == atOnce }
            for (number, client) in [1, 1, 1, 1, 1, 2, 3, 2].enumerated() {
                group.addTask {
                    try await turns.run(for: [UInt8(client)]) {
                        ledger.state.withLock { state in
                            state.order.append("\(client)")
                            state.running += 1
                            state.most = max(state.most, state.running)
                        }
                        await Task.yield()
                        ledger.state.withLock { $0.running -= 1 }
                    }
                }
                try await eventually("one more waits") { turns.waitingCount == number + 1 }
            }
            ledger.state.withLock { $0.isOpen = true }
            try await group.waitForAll()
        }
        let (order, most) = ledger.state.withLock { ($0.order, $0.most) }
        #expect(most <= atOnce && order.count == 8)
        if atOnce == 1 { #expect(order.joined() == "12312111") }
        #expect(turns.waitingCount == 0)
    }

    @Test("whose task has ended meanwhile does nothing, and its place is free again")
    func cancelled() async throws {
        let turns = ClientTurns(atOnce: 1)
        let ledger = Tally()
        let first = Task {
            try await turns.run(for: [1]) {
                ledger.state.withLock { $0.running = 1 }
                try await eventually("it is opened") { ledger.state.withLock { $0.isOpen } }
            }
        }
        try await eventually("the place is taken") { ledger.state.withLock { $0.running } == 1 }
        let second = Task { try await turns.run(for: [1]) { Issue.record("nobody reads it") } }
        try await eventually("the second waits") { turns.waitingCount == 1 }
        second.cancel()
        ledger.state.withLock { $0.isOpen = true }
        try await first.value
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(try await turns.run(for: [2]) { 7 } == 7)
    }
}
