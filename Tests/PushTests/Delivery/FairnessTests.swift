import APNs
import HTTP2Client
import Kaspa
import KasiaProtocol
import SampleOperations
import Testing

@testable import Push
@testable import Store

/// Tokens that are made up, lists that are long and senders that do not stop keep nobody else waiting.
@Suite("Fairness against inventions", .timeLimit(.minutes(10)))
struct FairnessTests {
    private static func drain(_ bench: PushBench) async throws {
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.drained()
        }
    }

    @Test("Made-up tokens are refused three times and gone, however many; a token that once worked is guarded")
    func inventions() async throws {
        var limits = StoreLimits()
        limits.queuedBeforeAnswer = limits.queuedOnProbation
        let bench = try await PushBench(
            sender: ScriptedSender { _, _ in .tokenInvalid(.badDeviceToken) }, limits: limits)
        try await bench.register(1..<3, watching: Samples.bob)
        try await bench.register(1_000..<1_300, onProbation: true)
        try await bench.accept(1..<9)
        try await bench.accept(9..<18, from: Samples.bob)
        try await Self.drain(bench)
        #expect(try await bench.store.totals().devices == 2)
        for number in 1...2 {
            #expect(try await bench.store.outbox.deviceState(DeviceID(token: Samples.token(number))).strikes == 0)
            #expect(bench.sender.requests(to: Samples.token(number)).count == 9)
        }
        #expect(bench.sender.count == 300 * 3 + 18)
        let books = try await bench.store.outbox.books()
        // Of eight messages five are queued, three of those are refused, and two go with the device.
        #expect(books.suppressedByReason == ["on_probation": 300 * 3, "device_removed": 300 * 2])
        #expect(try bench.store.checkBooks().problems == [])
    }

    @Test("What Apple says of tokens on probation neither opens nor closes the guard")
    func guardHearsNothing() async throws {
        let honest = String.hex(Samples.token(1))
        let bench = try await PushBench(
            sender: ScriptedSender { request, _ in
                request.deviceToken == honest ? .tokenInvalid(.badDeviceToken) : .delivered(apnsID: request.id)
            })
        try await bench.register(1..<2, watching: Samples.bob)
        try await bench.register(2..<102, onProbation: true)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            try await bench.drained()
            try await bench.accept(2..<3, from: Samples.bob)
            dispatcher.wake()
            try await bench.drained()
            #expect(try await bench.store.outbox.deviceState(DeviceID(token: Samples.token(1))).strikes == 0)
            // Accepted once, they count.
            try await bench.accept(3..<4)
            dispatcher.wake()
            try await bench.drained()
            try await bench.accept(4..<5, from: Samples.bob)
            dispatcher.wake()
            try await bench.drained()
        }
        #expect(try await bench.store.outbox.deviceState(DeviceID(token: Samples.token(1))).strikes == 1)
    }

    @Test("Apple's 429 to a new phone's first push is no refusal of its token: a hundred may wait, not five")
    func throttledFirst() async throws {
        let bench = try await PushBench(
            sender: ScriptedSender { _, _ in .deviceThrottled(retryAfter: .seconds(60)) })
        try await bench.register(1..<2, onProbation: true)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            try await bench.clock.asleep { bench.sender.count == 1 }
            bench.sender.use { request, _ in .delivered(apnsID: request.id) }
            try await bench.accept(2..<102)
            dispatcher.wake()
            try await bench.clock.asleep { try await bench.store.totals().events == 0 }
            #expect(try await bench.store.totals().deliveries == 100)
            bench.advance(dispatcher, by: .seconds(60))
            try await bench.drained()
        }
        #expect(bench.sender.count == 101)
        #expect(try await bench.store.outbox.books().suppressedByReason == ["on_probation": 1])
    }

    @Test("While Apple is silent, neither probation nor retries and long lists take all of the capacity")
    func slowApple() async throws {
        let bench = try await PushBench(
            sender: ScriptedSender { _, _ in nil },
            capacity: 16)
        try await bench.register(1_000..<1_040, onProbation: true)
        try await bench.register(1..<4, watching: Samples.bob)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            dispatcher.wake()
            _ = try await bench.sender.requests(count: 4)
            try await bench.clock.asleep { try await bench.store.totals().events == 0 }
            #expect(bench.sender.count == 4)
            try await bench.accept(2..<3, from: Samples.bob)
            dispatcher.wake()
            let requests = try await bench.sender.requests(count: 7)
            let tokens = Set(requests.map(\.deviceToken))
            #expect((1..<4).allSatisfy { tokens.contains(String.hex(Samples.token($0))) })
            bench.sender.use { request, _ in .delivered(apnsID: request.id) }
            bench.sender.answerAll(.delivered(apnsID: ""))
            try await bench.drained()
        }
        #expect(bench.sender.count == 43)
    }

    @Test("While events wait that have not begun, a long one gets no more work than they do; then it is finished")
    func longYields() async throws {
        let bench = try await PushBench()
        try await bench.register(1_000..<2_300)
        try await bench.register(1..<2, watching: Samples.bob)
        try await bench.accept(1..<2)
        try await bench.accept(2..<402, from: Samples.bob)
        let dispatcher = bench.dispatcher()
        let step = UInt64(Dispatcher.watchersPerStep)
        for turn in 1...6 as ClosedRange<UInt64> {
            _ = try await dispatcher.fanOut().get()
            let begun = turn * UInt64(Dispatcher.eventsPerTurn)
            #expect(try await bench.store.outbox.deviceState(DeviceID(token: Samples.token(1))).lastSeq == begun - 1)
            let walked = try #require(try await bench.store.outbox.events([1]).first).progress.walked
            // The first step is its beginning.
            #expect(walked <= step + (step + begun - 1) + step)
        }
        #expect(try await bench.store.totals().longEvents == 1)
        _ = try await dispatcher.fanOut().get()
        while try await dispatcher.fanOut().get() {}
        #expect(try await bench.store.totals().events == 0)
        #expect(try await bench.store.outbox.books().deliveriesCreated == 1_300 + 400)
    }

    @Test(
        "A correction is not held up by events that lack confirmations, however many", arguments: [1, 63, 64, 65, 200])
    func corrections(count: UInt64) async throws {
        let bench = try await PushBench(
            configuration: PushConfiguration(network: .mainnet, confirmations: 10, retractions: true))
        try await bench.register(1..<2)
        try await bench.register(Samples.device(2, primary: Samples.bob))
        let now = bench.clock.now
        let payment = AcceptedOperation(
            operation: OperationRecord(
                transactionID: Samples.hash(900), kind: .payment, sender: Samples.alice, receiver: Samples.bob,
                amount: 7,
                blockHash: Samples.hash(901), blockTime: now,
                acceptance: .init(blockHash: Samples.hash(901), daaScore: 5, blueScore: 1),
                payload: Samples.payment("f00d")), notifies: true)
        func apply(_ accepted: [AcceptedOperation], removed: [UInt64] = [], blueScore: UInt64) async throws {
            _ = try await bench.store.history.apply(
                ChainStep(
                    removed: removed.map { Samples.hash($0) }, accepted: accepted,
                    cursor: ChainCursor(
                        blockHash: Samples.hash(.max), daaScore: 5, blueScore: blueScore, timestamp: bench.clock.now)),
                now: bench.clock.now, withdrawsUnsent: true, retractsPayments: true)
        }
        try await apply([payment], blueScore: 11)
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.drained()
            #expect(bench.sender.count == 1)
            try await apply([], removed: [901], blueScore: 11)
            try await bench.accept(1..<1 + count, blueScore: 12)
            bench.clock.advance(by: .seconds(600))
            try await apply([], blueScore: 12)
            dispatcher.wake()
            _ = try await bench.sender.requests(count: 2)
            try await bench.clock.asleep {
                let totals = try await bench.store.totals()
                return totals.events == count && totals.deliveries == 0
            }
            try await apply([], blueScore: 22)
            dispatcher.wake()
            try await bench.drained()
        }
        #expect(bench.sender.requests(to: Samples.token(2)).count == 2)
        #expect(bench.sender.requests(to: Samples.token(1)).count == Int(count))
    }

    @Test(
        "Of strangers 120 payments or handshakes an hour are told, then one without its payload; the rest are in the log",
        arguments: [119, 120, 121, 122, 200] as [UInt64])
    func strangers(count: UInt64) async throws {
        let bench = try await PushBench()
        try await bench.register(Samples.device(1, primary: Samples.bob, watching: [Samples.carol]))
        let id = DeviceID(token: Samples.token(1))
        func pay(_ numbers: Range<UInt64>, from sender: Address?) async throws {
            let now = bench.clock.now
            let operations = numbers.map { number in
                AcceptedOperation(
                    operation: OperationRecord(
                        transactionID: Samples.hash(number), kind: number.isMultiple(of: 2) ? .payment : .handshake,
                        sender: sender, receiver: Samples.bob, amount: 7, blockHash: Samples.hash(.max), blockTime: now,
                        acceptance: .init(blockHash: Samples.hash(.max), daaScore: 5, blueScore: 1),
                        payload: number.isMultiple(of: 2) ? Samples.payment("f00d") : Samples.handshake()),
                    notifies: true)
            }
            let cursor = ChainCursor(blockHash: Samples.hash(.max), daaScore: 5, blueScore: 1, timestamp: now)
            _ = try await bench.store.history.apply(
                ChainStep(removed: [], accepted: operations, cursor: cursor), now: now, withdrawsUnsent: false)
        }
        // Any number of senders are one.
        try await pay(1..<101, from: Samples.alice)
        try await pay(101..<111, from: nil)
        try await pay(111..<count + 1, from: Samples.address(77))
        try await Self.drain(bench)
        let told = min(count, 121)
        let texts = try bench.sender.exchanges.map { try NotificationText($0.request.payload) }
        #expect(texts.count == Int(told))
        #expect(
            texts.prefix(120).allSatisfy { $0.payload != nil } && texts.dropFirst(120).allSatisfy { $0.payload == nil })
        let entries = try #require(
            try await bench.store.outbox.deliveryLog(of: id, after: 0, queuedSince: 0, limit: 999)
        ).entries
        #expect(entries.map(\.seq) == (1...count).map { $0 })
        #expect(entries.filter { $0.state == .suppressed && $0.reason == "hourly_limit" }.count == Int(count - told))
        #expect(try await bench.store.outbox.books().suppressedByReason["hourly_limit", default: 0] == count - told)
        // Whom the device watches is told of at any time, and an hour later so are strangers.
        try await pay(1_000..<1_002, from: Samples.carol)
        try await Self.drain(bench)
        #expect(bench.sender.count == Int(told) + 2)
        bench.clock.advance(by: .seconds(3_600))
        try await pay(2_000..<2_001, from: Samples.alice)
        try await Self.drain(bench)
        #expect(bench.sender.count == Int(told) + 3)
        #expect(try NotificationText(#require(bench.sender.exchanges.last).request.payload).payload != nil)
        #expect(try bench.store.checkBooks().problems == [])
    }
}
