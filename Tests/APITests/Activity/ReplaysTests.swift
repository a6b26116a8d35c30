import Synchronization
import Testing

@testable import API

@Suite("Replays", .timeLimit(.minutes(5)))
struct ReplaysTests {
    private final class Ledger: Sendable {
        struct State {
            var order: [String] = []
            var running = 0
            var most = 0
            var isOpen = false
        }

        let state = Mutex(State())
    }

    @Test("so many at once and no more; the others wait in turn, client by client", arguments: [1, 4])
    func turns(_ atOnce: Int) async throws {
        let replays = Replays(atOnce: atOnce)
        let ledger = Ledger()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // The first hold all places until all others wait.
            for _ in 0..<atOnce {
                group.addTask {
                    try await replays.inTurn([0]) {
                        ledger.state.withLock { $0.running += 1 }
                        try await eventually("it is opened") { ledger.state.withLock { $0.isOpen } }
                        ledger.state.withLock { $0.running -= 1 }
                    }
                }
            }
            try await eventually("all places are taken") { ledger.state.withLock { $0.running } == atOnce }
            for (number, client) in [1, 1, 1, 1, 1, 2, 3, 2].enumerated() {
                group.addTask {
                    try await replays.inTurn([UInt8(client)]) {
                        ledger.state.withLock { state in
                            state.order.append("\(client)")
                            state.running += 1
                            state.most = max(state.most, state.running)
                        }
                        await Task.yield()
                        ledger.state.withLock { $0.running -= 1 }
                    }
                }
                try await eventually("one more waits") { replays.waitingCount == number + 1 }
            }
            ledger.state.withLock { $0.isOpen = true }
            try await group.waitForAll()
        }
        let (order, most) = ledger.state.withLock { ($0.order, $0.most) }
        #expect(most <= atOnce && order.count == 8)
        if atOnce == 1 { #expect(order.joined() == "12312111") }
        #expect(replays.waitingCount == 0)
    }

    @Test("whose task has ended meanwhile reads nothing, and its place is free again")
    func cancelled() async throws {
        let replays = Replays(atOnce: 1)
        let ledger = Ledger()
        let first = Task {
            try await replays.inTurn([1]) {
                ledger.state.withLock { $0.running = 1 }
                try await eventually("it is opened") { ledger.state.withLock { $0.isOpen } }
            }
        }
        try await eventually("the place is taken") { ledger.state.withLock { $0.running } == 1 }
        let second = Task { try await replays.inTurn([1]) { Issue.record("nobody reads it") } }
        try await eventually("the second waits") { replays.waitingCount == 1 }
        second.cancel()
        ledger.state.withLock { $0.isOpen = true }
        try await first.value
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(try await replays.inTurn([2]) { 7 } == 7)
    }
}
