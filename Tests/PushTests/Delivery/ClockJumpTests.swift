import APNs
import Store
import Testing

@testable import Push

@Suite("A wall clock that jumps", .timeLimit(.minutes(10)))
struct ClockJumpTests {
    private static let hours = 7_200_000

    @Test("Two hours either way, a retry comes at once, under the same name, and nothing expires", arguments: [1, -1])
    func jump(direction: Int) async throws {
        let sender = ScriptedSender { request, attempt in
            attempt == 1
                ? .serverUnavailable(.serviceUnavailable, retryAfter: .seconds(600)) : .delivered(apnsID: request.id)
        }
        let bench = try PushBench(sender: sender)
        try await bench.register(1..<4)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.settled(dispatcher) { $0 == 3 }
            bench.clock.set(UInt64(Int(bench.clock.now) + direction * ClockJumpTests.hours))
            dispatcher.wake()
            try await bench.settled(dispatcher) { $0 == 6 }
        }
        #expect(Set(sender.exchanges.map(\.request.id)).count == 3)
        let books = try bench.store.books()
        #expect(books.deliveriesDelivered == 3 && books.deliveriesQueued == 0 && books.deliveriesExpired == 0)
        #expect(try bench.store.checkBooks().isSound)
    }

    @Test("A service that was down while the clock was set back takes up its retries at once")
    func whileDown() async throws {
        let sender = ScriptedSender { request, attempt in
            attempt == 1
                ? .deviceThrottled(retryAfter: .seconds(86_400)) : .delivered(apnsID: request.id)
        }
        let bench = try PushBench(sender: sender)
        try await bench.register(1..<3)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.settled(dispatcher) { $0 == 2 }
        }
        bench.clock.set(bench.clock.now - UInt64(ClockJumpTests.hours))
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.settled(dispatcher) { $0 == 4 }
        }
        #expect(try bench.store.books().deliveriesDelivered == 2)
    }
}
