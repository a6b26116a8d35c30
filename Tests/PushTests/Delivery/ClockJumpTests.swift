import APNs
import Clocks
import HTTP2Client
import Kaspa
import SampleOperations
import Store
import StoreSupport
import Testing

@testable import Push

@Suite("A wall clock that jumps", .timeLimit(.minutes(10)))
struct ClockJumpTests {
    private static let hour: Int64 = 3_600_000
    /// A day, eight days, and ten years.
    private static let distances: [Int64] = [25 * hour, 8 * 24 * hour, 10 * 365 * 24 * hour]

    @Test(
        "A day or ten years either way, nothing expires and nothing is forgotten; retries come when their time has passed",
        arguments: distances + distances.map { -$0 })
    func jump(ahead: Int64) async throws {
        let sender = ScriptedSender { request, attempt in
            attempt == 1
                ? .serverUnavailable(.serviceUnavailable, retryAfter: .seconds(600)) : .delivered(apnsID: request.id)
        }
        let bench = try await PushBench(sender: sender)
        try await bench.register(1..<4)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.settled(dispatcher) { $0 == 3 }
            bench.clock.setWall(ahead: ahead)
            bench.advance(dispatcher, by: .seconds(599))
            try await bench.clock.asleep { true }
            #expect(sender.count == 3)
            bench.advance(dispatcher, by: .seconds(302))
            try await bench.settled(dispatcher) { $0 == 6 }
        }
        #expect(Set(sender.exchanges.map(\.request.id)).count == 3)
        let books = try await bench.store.outbox.books()
        #expect(books.deliveriesDelivered == 3 && books.deliveriesQueued == 0 && books.deliveriesExpired == 0)
        #expect(try bench.store.checkBooks().isSound)
        // What was told is still there to be asked for, and Apple was told the right end.
        for device in 1..<4 {
            let missed = try await bench.registry(of: bench.dispatcher())
                .missed(token: Samples.token(device), after: 0, limit: 10)
            #expect(missed?.deliveries.count == 1)
        }
        let now = bench.clock.now / 1_000
        for exchange in sender.exchanges.dropFirst(3) {
            #expect((now + 85_000...now + 86_400).contains(exchange.request.expiration))
        }
    }

    @Test("What was set while the service was down counts for nothing either", arguments: [25 * hour, -25 * hour])
    func whileDown(ahead: Int64) async throws {
        let sender = ScriptedSender { request, attempt in
            attempt == 1
                ? .deviceThrottled(retryAfter: .seconds(1_200)) : .delivered(apnsID: request.id)
        }
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        try await {
            let bench = try await PushBench(clock: clock, sender: sender, directory: directory)
            try await bench.register(1..<3)
            try await bench.accept(1..<2)
            try await bench.run { dispatcher in
                dispatcher.wake()
                try await bench.settled(dispatcher) { $0 == 2 }
            }
            try await bench.store.keep(try #require(bench.serviceClock.reading))
        }()
        clock.setWall(ahead: ahead)
        clock.advance(by: .seconds(60))
        let bench = try await PushBench(clock: clock, sender: sender, directory: directory)
        // The wall clock that was set back says that no time has passed.
        let isLate = ahead > 0
        #expect(bench.serviceClock.now() == clock.now - (isLate ? 0 : 60_000))
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.passTime { sender.count == 4 }
            try await bench.settled(dispatcher) { $0 == 4 }
        }
        #expect(try await bench.store.outbox.books().deliveriesDelivered == 2)
        #expect(try bench.store.checkBooks().isSound)
    }

    @Test("A registration of the future is told all the same, and the next one brings it back")
    func futureRegistration() async throws {
        let bench = try await PushBench(sender: ScriptedSender { request, _ in .delivered(apnsID: request.id) })
        let now = bench.clock.now
        try await bench.store.registry.upsertDevice(DeviceID(token: Samples.token(1))) { _ in
            var device = Samples.device(1, watching: [Samples.alice])
            device.createdAt = now + UInt64(25 * ClockJumpTests.hour)
            return device
        }
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.drained()
        }
        #expect(bench.sender.count == 1)
        try await bench.register(1..<2)
        #expect(try await bench.store.registry.device(DeviceID(token: Samples.token(1)))?.createdAt == now)
    }

    @Test(
        "A registration under a wrong clock is written with the chain's time",
        arguments: distances + distances.map { -$0 })
    func registration(ahead: Int64) async throws {
        let bench = try await PushBench(sender: ScriptedSender { request, _ in .delivered(apnsID: request.id) })
        bench.clock.setWall(ahead: ahead)
        try await bench.registry(of: bench.dispatcher()).register(
            Registration(token: Samples.token(1), platform: .ios, watchedAddresses: [Samples.alice]))
        let device = try #require(try await bench.store.registry.device(DeviceID(token: Samples.token(1))))
        #expect(device.createdAt == bench.clock.now && device.lastSeen == bench.clock.now)
    }
}
