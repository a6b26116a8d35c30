import KasiaProtocol
import Kaspa
import Policy
import SampleOperations
import Store
import StoreSupport
import Testing

@testable import Push

@Suite("Explaining", .timeLimit(.minutes(10)))
struct ExplainerTests {
    private let bench: PushBench

    init() async throws { bench = try await PushBench() }

    private func explain(_ number: UInt64 = 1, token: Int? = nil, limit: Int = 100) async throws -> String {
        try await bench.explain(number, token: token, limit: limit)
    }

    /// Turns event 1 into deliveries as the dispatcher would.
    private func fanOut(_ number: UInt64 = 1) async throws {
        let event = try #require(try await bench.store.outbox.events([number]).first)
        let audience = Audience(event, network: .mainnet, chainTime: .max)
        _ = try await bench.store.outbox.fanOut(
            event: number, lists: audience.lists, limit: 9, ordinaryWatchers: 9, now: bench.clock.now, expiresAt: .max
        ) { audience.decide($0, list: $1) }
    }

    @Test("A transaction that nobody saw is not known")
    func unknown() async throws {
        #expect(try await explain(7).contains("is not known"))
    }

    @Test("Each watcher has its reason, and nothing of the content is told")
    func rules() async throws {
        try await bench.register(Samples.device(1, watching: [Samples.alice]))
        try await bench.register(Samples.device(2, primary: Samples.alice, watching: [Samples.alice]))
        try await bench.register(Samples.device(3, watching: [Samples.alice], aliases: ["other"]))
        try await bench.register(Samples.device(4, watching: [Samples.bob]))
        try await bench.accept(1..<2)
        #expect(try await explain().contains("as event 1, 0 watchers looked at so far"))
        try await fanOut()
        let text = try await explain()
        #expect(text.contains("is a contextual_message from \(Samples.alice.short)"))
        #expect(text.contains("accepted it at DAA score 5"))
        #expect(text.contains("as event 1, all watchers looked at"))
        #expect(text.contains("\(DeviceID(token: Samples.token(1))): the rule says to tell it; delivery 1 is queued"))
        #expect(text.contains("\(DeviceID(token: Samples.token(2))): its own wallet sent this; nothing was sent"))
        #expect(text.contains("\(DeviceID(token: Samples.token(3))): it lists aliases"))
        #expect(!text.contains("\(DeviceID(token: Samples.token(4)))"))
        for secret in ["message 1", Hex.encode(Samples.message("message 1")), Hex.encode(Samples.token(1))] {
            #expect(!text.contains(secret))
        }
        #expect(
            try await explain(token: 4).contains("it watches nothing that this transaction names; nothing was sent"))
        #expect(try await explain(token: 9).contains("is not registered"))
        #expect(try await !explain(token: 3).contains("tell it"))
    }

    @Test("What Apple answered, how often and when is told, also after the device watches something else")
    func answers() async throws {
        try await bench.register(Samples.device(1, watching: [Samples.alice]))
        try await bench.accept(1..<2)
        try await fanOut()
        let id = DeviceID(token: Samples.token(1))
        for (next, ending, reason) in [
            (Settlement.Next.retry(at: 1, omitsPayload: false), .queued, "ServiceUnavailable"),
            (.done, .dead, "BadTopic"),
        ] as [(Settlement.Next, DeliveryLogEntry.State, String)] {
            let waiting = try #require(try await bench.store.outbox.waitingDeliveries(limit: 1).first)
            let lane: ScheduleKey.Lane = waiting.delivery.attempts == 0 ? .ordinary : .bulk
            let key = ScheduleKey(lane: lane, due: waiting.due ?? 0, device: id, seq: 1)
            let results = try await bench.store.outbox.settle(
                [
                    Settlement(
                        key: key, transactionID: Samples.hash(1), next: next, ending: ending, reason: reason)
                ], now: 77)
            #expect(results.map(\.found) == [true])
            #expect(try await explain().contains("last answer \(reason), at 77"))
        }
        #expect(try await explain().contains("delivery 1 is dead after 2 attempts"))
        try await bench.register(Samples.device(1, watching: [Samples.bob]))
        #expect(try await explain().contains("it watches nothing that this transaction names; delivery 1 is dead"))
    }

    /// Device 1's first delivery is done.
    private func deliver(
        in lane: ScheduleKey.Lane = .ordinary, _ effect: Settlement.DeviceEffect = .none
    ) async throws {
        let waiting = try #require(try await bench.store.outbox.waitingDeliveries(limit: 1).first)
        let delivery = waiting.delivery
        let key = ScheduleKey(
            lane: lane, due: try #require(waiting.due), device: delivery.device, seq: delivery.seq)
        let settlement = Settlement(
            key: key, transactionID: delivery.transactionID, next: .done, effect: effect)
        #expect(try await bench.store.outbox.settle([settlement], now: bench.clock.now).map(\.found) == [true])
    }

    @Test("What the log has forgotten is not taken for never sent, and what it cannot have forgotten is")
    func forgotten() async throws {
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        #expect(try await explain(1).contains("the rule says to tell it; nothing was sent to it."))
        try await fanOut(1)
        bench.clock.advance(by: .seconds(1))
        let second = bench.clock.now
        try await bench.accept(2..<3)
        #expect(try await explain(2).contains("nothing was sent to it"))
        try await fanOut(2)
        try await deliver()
        #expect(try await bench.store.outbox.pruneDeliveryLog(before: second, limit: 9) == 1)
        bench.clock.advance(by: .milliseconds(Int(StoreLimits.logAge) - 1_001))
        #expect(try await explain(1).contains("nothing was sent to it"))
        bench.clock.advance(by: .milliseconds(1))
        // Old enough to be forgotten.
        #expect(try await explain(1).contains("tell it; its log, which begins with delivery 2, has nothing of it."))
        #expect(try await explain(2).contains("delivery 2 is queued"))
        bench.clock.advance(by: .seconds(1))
        try await deliver()
        #expect(try await bench.store.outbox.pruneDeliveryLog(before: .max, limit: 9) == 1)
        #expect(try await explain(1).contains("its log, which is empty by now, has nothing of it"))
        try await bench.accept(3..<4)
        #expect(try await explain(3).contains("nothing was sent to it"))
    }

    @Test(
        "A queue is full at a hundred while the token is neither accepted nor refused, and at five after a refusal",
        arguments: [(false, 99), (false, 100), (true, 4), (true, 5)] as [(Bool, UInt64)])
    func fullQueue(isRefused: Bool, waiting: UInt64) async throws {
        try await bench.register(1..<2, onProbation: true)
        try await bench.accept(1..<(waiting + 3))
        if isRefused {
            try await fanOut(2)
            try await deliver(in: .probation, .unaccepted)
        }
        for number in 3..<(waiting + 3) { try await fanOut(number) }
        let isFull = waiting == (isRefused ? 5 : 100)
        let cause = "its carrier has never accepted its token, and \(waiting) deliveries wait for it"
        let text = try await explain(1)
        #expect(text.contains(isFull ? "nothing was sent to it: \(cause)" : "nothing was sent to it."))
    }

    @Test("At most so many watchers are named", arguments: [(1, true), (2, true), (3, false), (4, false)])
    func limit(limit: Int, isCut: Bool) async throws {
        try await bench.register(1..<4)
        try await bench.accept(1..<2)
        let text = try await explain(limit: limit)
        #expect(text.matches(of: #/Device /#).count == min(limit, 3))
        #expect(text.contains("More than") == isCut)
    }

    @Test("Nobody's transaction says so")
    func nobody() async throws {
        try await bench.accept(1..<2)
        #expect(try await explain().contains("No registered device is concerned."))
    }
}
