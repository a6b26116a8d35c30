import APNs
import HTTP2Client
import Kaspa
import Push
import RecordedLogs
import SampleOperations
import Testing

@testable import Store

@Suite("Dispatcher", .timeLimit(.minutes(10)))
struct DispatcherTests {
    @Test("An event becomes a delivery, the delivery a notification, and then the books are empty")
    func delivers() async throws {
        let bench = try await PushBench()
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        let accepted = bench.clock.now
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.drained()
        }
        let exchange = try #require(bench.sender.exchanges.first)
        #expect(bench.sender.count == 1)
        let request = exchange.request
        let transaction = Samples.hash(1).description
        #expect(request.deviceToken == String.hex(Samples.token(1)))
        #expect(request.collapseID == transaction)
        #expect(
            request.id
                == NotificationID.make(network: "mainnet", transactionID: transaction, deviceToken: request.deviceToken)
        )
        #expect(request.expiration == (accepted + 86_400_000) / 1000)
        #expect(try NotificationText(request.payload).seq == 1)
        #expect(try await bench.store.totals() == Store.Totals(devices: 1, watchEntries: 1, deliveries: 0, events: 0))
    }

    @Test("2,500 watchers are told once each, in bounded steps and with bounded concurrency")
    func tellsThousands() async throws {
        let bench = try await PushBench(capacity: 50)
        try await bench.register(1..<2501)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.drained()
        }
        #expect(bench.sender.count == 2500)
        #expect(Set(bench.sender.exchanges.map(\.request.deviceToken)).count == 2500)
        #expect(bench.sender.most <= 50)
    }

    @Test("A walk over many watchers goes on after a stop where it was")
    func resumesWalk() async throws {
        let bench = try await PushBench(capacity: 20)
        try await bench.register(1..<1001)
        try await bench.accept(1..<3)
        for stop in [10, 300, 700] {
            try await bench.run { dispatcher in
                dispatcher.wake()
                _ = try await bench.sender.requests(count: stop)
            }
        }
        try await bench.run { _ in try await bench.drained() }
        #expect(bench.sender.count == 2000)
        #expect(Set(bench.sender.exchanges.map(\.request.id)).count == 2000)
        #expect(bench.sender.overlaps.isEmpty)
    }

    @Test("One device has one notification in flight and gets its messages in order")
    func keepsOrder() async throws {
        let bench = try await PushBench()
        try await bench.register(1..<4)
        try await bench.accept(1..<31)
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.drained()
        }
        #expect(bench.sender.overlaps.isEmpty)
        for number in 1..<4 {
            let seqs = try bench.sender.requests(to: Samples.token(number)).map { try NotificationText($0.payload).seq }
            #expect(seqs == (1...30).map { UInt64($0) })
        }
    }

    @Test("A device in back-off delays no other, and its own later messages wait behind the one that is tried again")
    func backoffIsTheDevices() async throws {
        let slow = String.hex(Samples.token(1))
        let sender = ScriptedSender { request, attempt in
            request.deviceToken == slow && attempt == 1
                ? .deviceThrottled(retryAfter: .seconds(600)) : .delivered(apnsID: request.id)
        }
        let bench = try await PushBench(sender: sender)
        try await bench.register(1..<6)
        try await bench.accept(1..<4)
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.settled(dispatcher) { $0 == 1 + 4 * 3 }
            #expect(sender.requests(to: Samples.token(1)).count == 1)
            bench.advance(dispatcher, by: .milliseconds(599_999))
            #expect(sender.requests(to: Samples.token(1)).count == 1)
            bench.advance(dispatcher, by: .milliseconds(1))
            // The second message is throttled in its turn, then the third.
            for sends in [3, 5] {
                try await bench.settled(dispatcher) { $0 == 12 + sends }
                bench.advance(dispatcher, by: .seconds(600))
            }
            try await bench.drained()
        }
        let seqs = try sender.requests(to: Samples.token(1)).map { try NotificationText($0.payload).seq }
        #expect(seqs == [1, 1, 2, 2, 3, 3])
    }

    @Test("Retry-After is honoured to the millisecond, and the repeat bears the same name and number")
    func honoursRetryAfter() async throws {
        let sender = ScriptedSender { request, attempt in
            attempt == 1
                ? .serverUnavailable(.serviceUnavailable, retryAfter: .seconds(30)) : .delivered(apnsID: request.id)
        }
        let bench = try await PushBench(sender: sender)
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        let device = DeviceID(token: Samples.token(1))
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.clock.asleep {
                try await bench.store.outbox.deliveries(of: device, limit: 1).first?.attempts == 1
            }
            let due = try await bench.store.outbox.deviceState(device).scheduled?.due
            #expect(due == bench.clock.now + 30_000)
            bench.advance(dispatcher, by: .milliseconds(29_999))
            #expect(sender.count == 1)
            bench.advance(dispatcher, by: .milliseconds(1))
            try await bench.drained()
        }
        let requests = sender.exchanges.map(\.request)
        #expect(requests.count == 2)
        #expect(requests[0] == requests[1])
    }

    @Test("What Apple never answers is given up when it expires, not before and not later")
    func expires() async throws {
        let attempts = Tally()
        let clock = TestClock { 0 }
        let end = clock.now + 300_000
        let sender = ScriptedSender { _, _ in
            if clock.now < end { attempts.add() }
            return .transport(.timeout)
        }
        let bench = try await PushBench(
            clock: clock, sender: sender,
            configuration: PushConfiguration(network: .mainnet, expiration: .seconds(300)))
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        try await bench.run { _ in try await bench.drained() }
        #expect(clock.now >= end)
        #expect(sender.count > 5)
        #expect(attempts.count == sender.count)
        #expect(try await bench.store.registry.device(DeviceID(token: Samples.token(1))) != nil)
    }

    @Test(
        "After a 413 the notification is sent once more, without its payload; a second 413 ends it",
        arguments: [true, false])
    func resendsWithoutPayload(isSecondTaken: Bool) async throws {
        let sender = ScriptedSender { request, attempt in
            attempt == 2 && isSecondTaken ? .delivered(apnsID: request.id) : .payloadTooLarge
        }
        let bench = try await PushBench(sender: sender)
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        try await bench.run { _ in try await bench.drained() }
        let texts = try sender.exchanges.map { try NotificationText($0.request.payload) }
        #expect(texts.count == 2)
        #expect(texts.first?.payload != nil)
        #expect(texts.last?.payload == nil)
        #expect(texts.map(\.seq) == [1, 1])
    }

    @Test("A mistake of ours ends one delivery and nothing else")
    func deadLetters() async throws {
        let sender = ScriptedSender { request, _ in
            (try? NotificationText(request.payload).seq) == 1
                ? .requestMistake(.badPriority) : .delivered(apnsID: request.id)
        }
        let bench = try await PushBench(sender: sender)
        try await bench.register(1..<3)
        try await bench.accept(1..<3)
        try await bench.run { _ in try await bench.drained() }
        #expect(sender.count == 4)
        #expect(try await bench.store.totals().devices == 2)
    }

    @Test("An answer without a meaning of its own stands with its status and name in the log, the books and `explain`")
    func namesUnknownAnswers() async throws {
        let sender = ScriptedSender { _, attempt in
            attempt == 1
                ? .unknown(status: 502, reason: nil, retryAfter: nil)
                : .unknown(status: 400, reason: "Brandnew", retryAfter: nil)
        }
        let bench = try await PushBench(clock: TestClock { 0 }, sender: sender)
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        try await bench.run { _ in try await bench.drained() }
        let text = try await bench.explain(1, limit: 9)
        #expect(text.contains("is dead after 2 attempts, last answer HTTP 400 Brandnew"))
        #expect(try await bench.store.outbox.books().deadByReason == ["HTTP 400 Brandnew": 1])
        let lines = bench.log.texts(of: "push.delivery.dead")
        #expect(lines.count == 1)
        #expect(lines.allSatisfy { $0.contains("reason=HTTP 400 Brandnew") })
    }

    @Test(
        "With confirmations an event waits until the sink is that far above, to the block",
        arguments: [9, 10, 11] as [UInt64])
    func waitsForConfirmations(confirmations: UInt64) async throws {
        let bench = try await PushBench(
            configuration: PushConfiguration(network: .mainnet, confirmations: confirmations))
        try await bench.register(1..<2)
        // More than one turn's worth of events on each side of the boundary.
        try await bench.accept(1..<201, blueScore: 100)
        try await bench.accept(201..<401, blueScore: 101)
        try await bench.run { dispatcher in
            try await bench.clock.asleep { true }
            #expect(bench.sender.count == 0)
            try await bench.accept(0..<0, blueScore: 100, sink: 110)
            dispatcher.wake()
            let told: UInt64 = confirmations == 9 ? 400 : confirmations == 10 ? 200 : 0
            try await bench.clock.asleep {
                let totals = try await bench.store.totals()
                return totals.deliveries == 0 && totals.events == 400 - told
            }
            #expect(bench.sender.count == Int(told))
            try await bench.accept(0..<0, sink: 112)
            dispatcher.wake()
            try await bench.drained()
        }
        #expect(bench.sender.count == 400)
    }

    @Test("Markers are forgotten an hour after the age that they guard, not before, and not while the chain stands")
    func prunesMarkers() async throws {
        let bench = try await PushBench()
        func isRemembered(_ number: UInt64) throws -> Bool {
            try bench.store.database.get(.enqueued, Samples.hash(number).bytes) != nil
        }
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            try await bench.drained()
            bench.advance(dispatcher, by: .seconds(90_000))
            try await bench.accept(2..<3)
            dispatcher.wake()
            try await bench.drained()
            #expect(try isRemembered(1))
            bench.advance(dispatcher, by: .seconds(120))
            dispatcher.wake()
            try await bench.clock.asleep { true }
            #expect(try isRemembered(1))
            bench.advance(dispatcher, by: .seconds(60))
            try await bench.accept(3..<4)
            // It may have looked before the chain went on, and looks again after a minute.
            bench.advance(dispatcher, by: .seconds(60))
            try await bench.clock.asleep { try !isRemembered(1) }
            #expect(try isRemembered(2))
        }
    }
}
