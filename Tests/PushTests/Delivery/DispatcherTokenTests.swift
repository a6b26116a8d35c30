import APNs
import HTTP2Client
import Kaspa
import Push
import SampleOperations
import Testing

@testable import Store

@Suite("Dispatcher: dead tokens", .timeLimit(.minutes(10)))
struct DispatcherTokenTests {
    private let first = DeviceID(token: Samples.token(1))
    private let second = DeviceID(token: Samples.token(2))

    /// Device 1 gets the answers in order, the last for ever; all others are delivered.
    private func sender(_ answers: [APNsOutcome]) -> ScriptedSender {
        let token = String.hex(Samples.token(1))
        let count = Tally()
        return ScriptedSender { request, _ in
            guard request.deviceToken == token else { return .delivered(apnsID: request.id) }
            return answers[min(count.add() - 1, answers.count - 1)]
        }
    }

    @Test(
        "A 410 removes the device with its index entries and its queue, unless it registered after that time",
        arguments: [(-1, false), (0, true), (1, true)] as [(Int64, Bool)])
    func gone(difference: Int64, isRemoved: Bool) async throws {
        let clock = TestClock()
        let time = UInt64(Int64(clock.now) + difference)
        let bench = try await PushBench(
            clock: clock,
            sender: sender([.tokenGone(.unregistered, timestampMilliseconds: time), .delivered(apnsID: "")]))
        try await bench.register(1..<3)
        try await bench.accept(1..<4)
        try await bench.run { _ in try await bench.drained() }
        #expect(try await (bench.store.registry.device(first) == nil) == isRemoved)
        #expect(
            try await bench.store.registry.watchers(.address(Samples.alice), limit: 9).contains(first) == !isRemoved)
        #expect(bench.sender.requests(to: Samples.token(1)).count == (isRemoved ? 1 : 3))
        #expect(bench.sender.requests(to: Samples.token(2)).count == 3)
        #expect(try await bench.store.registry.device(second) != nil)
    }

    @Test("A device that registers again while the 410 is on its way survives it")
    func reregistersInFlight() async throws {
        let bench = try await PushBench(sender: ScriptedSender { _, _ in nil })
        try await bench.register(1..<2)
        try await bench.accept(1..<3)
        try await bench.run { dispatcher in
            let request = try #require(try await bench.sender.requests(count: 1).first)
            let gone = bench.clock.now
            bench.advance(dispatcher, by: .milliseconds(1))
            try await bench.registry(of: dispatcher).register(
                Registration(token: Samples.token(1), platform: .ios, watchedAddresses: [Samples.alice]))
            bench.sender.use { request, _ in .delivered(apnsID: request.id) }
            bench.sender.answer(request.id, .tokenGone(.unregistered, timestampMilliseconds: gone))
            try await bench.drained()
        }
        #expect(try await bench.store.registry.device(first) != nil)
        #expect(bench.sender.count == 2)
    }

    @Test(
        "The last of so many strikes in a row removes the device",
        arguments: [(1, 1), (2, 2), (3, 3)] as [(Int, Int)])
    func strikesOut(strikes: Int, sends: Int) async throws {
        let bench = try await PushBench(
            sender: sender([.tokenInvalid(.badDeviceToken)]),
            configuration: PushConfiguration(network: .mainnet, invalidTokenStrikes: strikes))
        try await bench.register(2..<3, watching: Samples.bob)
        try await bench.register(1..<2)
        try await bench.accept(100..<110, from: Samples.bob)
        try await bench.run { dispatcher in
            try await bench.drained()
            try await bench.accept(1..<6)
            dispatcher.wake()
            try await bench.drained()
        }
        #expect(bench.sender.requests(to: Samples.token(1)).count == sends)
        #expect(try await bench.store.registry.device(first) == nil)
        #expect(try await bench.store.registry.watchers(.address(Samples.alice), limit: 1).isEmpty)
        #expect(try await bench.store.totals() == Store.Totals(devices: 1, watchEntries: 1, deliveries: 0, events: 0))
    }

    @Test("A success between, or a new registration, forgets the strikes")
    func forgetsStrikes() async throws {
        let invalid = APNsOutcome.tokenInvalid(.deviceTokenNotForTopic)
        let bench = try await PushBench(sender: sender([invalid, invalid, .delivered(apnsID: ""), invalid, invalid]))
        try await bench.register(2..<3, watching: Samples.bob)
        try await bench.register(1..<2)
        try await bench.accept(100..<120, from: Samples.bob)
        try await bench.run { dispatcher in
            try await bench.drained()
            try await bench.accept(1..<6)
            dispatcher.wake()
            try await bench.drained()
            #expect(try await bench.store.outbox.deviceState(first).strikes == 2)
            try await bench.registry(of: dispatcher).register(
                Registration(token: Samples.token(1), platform: .ios, watchedAddresses: [Samples.alice]))
            #expect(try await bench.store.outbox.deviceState(first).strikes == 0)
            try await bench.accept(6..<8)
            dispatcher.wake()
            try await bench.drained()
            #expect(try await bench.store.outbox.deviceState(first).strikes == 2)
        }
        #expect(try await bench.store.registry.device(first) != nil)
    }

    @Test("A wrong environment, in which every token is invalid, wipes nothing: strikes stand still")
    func guards() async throws {
        let sender = ScriptedSender { _, _ in .tokenInvalid(.badDeviceToken) }
        let bench = try await PushBench(sender: sender)
        try await bench.register(1..<51)
        try await bench.accept(1..<6)
        try await bench.run { _ in try await bench.drained() }
        #expect(sender.count == 250)
        #expect(try await bench.store.totals().devices == 50)
        #expect(try await bench.store.outbox.deviceState(first).strikes == 0)
    }

    @Test("Silence is no answer: timeouts neither push a success out of the window nor thin out invalid tokens")
    func silenceIsNoAnswer() async throws {
        let sender = ScriptedSender { request, attempt in
            (try? NotificationText(request.payload).seq) == 1
                ? .delivered(apnsID: request.id) : attempt <= 4 ? .transport(.timeout) : .tokenInvalid(.badDeviceToken)
        }
        let bench = try await PushBench(clock: TestClock { 60_000 }, sender: sender)
        // 100 successes, then 400 timeouts, then invalid tokens: the hundredth is exactly half.
        try await bench.register(1..<101)
        try await bench.accept(1..<2)
        try await bench.run { _ in
            try await bench.drained()
            try await bench.accept(2..<3)
            try await bench.drained()
        }
        var strikes: UInt32 = 0
        for device in 1..<101 {
            strikes += try await bench.store.outbox.deviceState(DeviceID(token: Samples.token(device))).strikes
        }
        #expect(strikes == 100)
    }
}
