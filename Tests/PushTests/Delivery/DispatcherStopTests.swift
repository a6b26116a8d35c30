import APNs
import HTTP2Client
import Kaspa
import Push
import RecordedLogs
import SampleOperations
import Testing

@testable import Store

@Suite("Dispatcher: stops, starts and pauses", .timeLimit(.minutes(10)))
struct DispatcherStopTests {
    private let device = DeviceID(token: Samples.token(1))

    @Test("A stop waits for what is in flight and settles it; the rest stays in the outbox")
    func stops() async throws {
        let bench = try await PushBench(
            sender: ScriptedSender { _, _ in nil }, capacity: 3)
        try await bench.register(1..<11)
        try await bench.accept(1..<2)
        let dispatcher = bench.dispatcher()
        let task = Task { try await dispatcher.run() }
        let requests = try await bench.sender.requests(count: 3)
        task.cancel()
        bench.sender.answer(requests[0].id, .delivered(apnsID: requests[0].id))
        bench.sender.answer(requests[1].id, .serverUnavailable(.shutdown, retryAfter: nil))
        bench.sender.answer(requests[2].id, .notSent(.abandoned))
        try await task.value
        #expect(bench.sender.count == 3)
        #expect(try await bench.store.totals().deliveries == 9)
        bench.sender.use { request, _ in .delivered(apnsID: request.id) }
        bench.clock.advance(by: .seconds(1))
        try await bench.run { _ in try await bench.drained() }
        let sent = bench.sender.exchanges.map(\.request)
        #expect(sent.count == 12)
        #expect(sent.count { $0 == requests[0] } == 1)
        // The repeats are the same to the byte: apns-id, collapse id, number.
        #expect(sent.count { $0 == requests[1] } == 2)
        #expect(sent.count { $0 == requests[2] } == 2)
    }

    @Test("What the sender did not try is due as it was, after a pause")
    func handsBack() async throws {
        let bench = try await PushBench(
            sender: ScriptedSender { request, attempt in
                attempt == 1 ? .notSent(.shuttingDown) : .delivered(apnsID: request.id)
            })
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            try await bench.settled(dispatcher) { $0 == 1 }
            #expect(try await bench.store.outbox.deliveries(of: device, limit: 1).first?.attempts == 0)
            bench.advance(dispatcher, by: .milliseconds(999))
            #expect(bench.sender.count == 1)
            bench.advance(dispatcher, by: .milliseconds(1))
            try await bench.drained()
        }
        #expect(bench.sender.count == 2)
    }

    @Test("Refused credentials stop the sending, probes go out one by one, a success ends the pause, nothing is lost")
    func probes() async throws {
        let refusal = APNsOutcome.configurationRefused(.invalidProviderToken)
        let bench = try await PushBench(
            sender: ScriptedSender { _, _ in refusal },
            capacity: 10)
        try await bench.register(1..<31)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            try await bench.settled(dispatcher) { $0 >= 1 }
            let refused = bench.sender.count
            #expect(refused <= 10)
            #expect(await dispatcher.trouble(of: .apns)?.contains("InvalidProviderToken") == true)
            #expect(try await bench.store.totals().deliveries == 30)
            for (probe, pause) in [5, 10, 20].enumerated() {
                bench.advance(dispatcher, by: .seconds(pause))
                try await bench.settled(dispatcher) { $0 == refused + probe + 1 }
            }
            bench.sender.use { request, _ in .delivered(apnsID: request.id) }
            bench.advance(dispatcher, by: .milliseconds(39_999))
            #expect(bench.sender.count == refused + 3)
            bench.advance(dispatcher, by: .milliseconds(1))
            try await bench.drained()
            #expect(await dispatcher.trouble(of: .apns) == nil)
        }
        let delivered = bench.sender.exchanges.filter { $0.outcome != refusal }.map(\.request.id)
        #expect(delivered.count == 30)
        #expect(Set(delivered).count == 30)
    }

    @Test(
        "What keeps everything from being sent is told in its own words",
        arguments: [
            (APNsOutcome.configurationRefused(.badTopic), "Apple refuses the credentials or the topic: BadTopic"),
            (.notSent(.noProviderToken("the disk is full")), "no provider token can be made: the disk is full"),
            (.providerTokenExpired, "Apple calls the provider token expired: this machine's clock may be wrong"),
            (.providerTokenThrottled(retryAfter: nil), "Apple throttles the provider token"),
        ])
    func troubles(answer: APNsOutcome, sentence: String) async throws {
        let bench = try await PushBench(sender: ScriptedSender { _, _ in answer })
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            try await bench.settled(dispatcher) { $0 == 1 }
            #expect(await dispatcher.trouble(of: .apns)?.hasPrefix("\(sentence); next try in ") == true)
        }
        #expect(try await bench.store.totals().deliveries == 1)
    }

    @Test("Why there is no provider token is logged once for each reason, and once a minute, however many probes fail")
    func logsMissingToken() async throws {
        let bench = try await PushBench(
            sender: ScriptedSender { _, attempt in
                .notSent(.noProviderToken(attempt < 3 ? "the key is gone" : "the disk is full"))
            })
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            try await bench.settled(dispatcher) { $0 == 1 }
            for (probe, pause) in [5, 10, 20, 40].enumerated() {
                bench.advance(dispatcher, by: .seconds(pause))
                try await bench.settled(dispatcher) { $0 == probe + 2 }
            }
        }
        let expected = [
            "push.sending.paused carrier=apns error.message=no provider token can be made: the key is gone "
                + "pause_ms=5000 reason=no_provider_token",
            "push.sending.paused carrier=apns error.message=no provider token can be made: the disk is full "
                + "log.held_back=1 pause_ms=20000 "
                + "reason=no_provider_token trouble.seconds=15",
            "push.sending.paused carrier=apns error.message=no provider token can be made: the disk is full "
                + "log.held_back=1 pause_ms=80000 "
                + "reason=no_provider_token trouble.seconds=75",
        ]
        #expect(bench.log.texts(of: "push.sending.paused") == expected)
    }

    @Test(
        "A probe that Apple refuses for its device or its rate ends the pause, also when nothing waits behind it",
        arguments: [
            APNsOutcome.tokenInvalid(.badDeviceToken), .tokenGone(.unregistered, timestampMilliseconds: .max),
            .deviceThrottled(retryAfter: .seconds(60)), .payloadTooLarge,
        ])
    func probeProvesCredentials(answer: APNsOutcome) async throws {
        let bench = try await PushBench(
            sender: ScriptedSender { _, attempt in
                attempt == 1 ? .configurationRefused(.invalidProviderToken) : answer
            })
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            try await bench.settled(dispatcher) { $0 == 1 }
            #expect(await dispatcher.trouble(of: .apns) != nil)
            bench.advance(dispatcher, by: .seconds(5))
            try await bench.settled(dispatcher) { $0 >= 2 }
            #expect(await dispatcher.trouble(of: .apns) == nil)
        }
    }

    @Test("An unregister waits for the notification on its way, and nothing is sent after it")
    func unregisters() async throws {
        let bench = try await PushBench(sender: ScriptedSender { _, _ in nil })
        try await bench.register(1..<2)
        try await bench.accept(1..<4)
        let isAnswered = Tally()
        try await bench.run { dispatcher in
            let request = try #require(try await bench.sender.requests(count: 1).first)
            let registry = bench.registry(of: dispatcher)
            let unregister = Task {
                let wasRegistered = try await registry.unregister(token: Samples.token(1))
                #expect(isAnswered.count == 1)
                return wasRegistered
            }
            // The registration is gone long before the answer comes.
            while try await bench.store.registry.device(device) != nil {
                try Task.checkCancellation()
                await Task.yield()
            }
            for _ in 0..<200 { await Task.yield() }
            isAnswered.add()
            bench.sender.answer(request.id, .delivered(apnsID: request.id))
            #expect(try await unregister.value)
            #expect(try await !registry.unregister(token: Samples.token(1)))
            try await bench.accept(4..<6)
            dispatcher.wake()
            try await bench.drained()
        }
        #expect(bench.sender.count == 1)
        #expect(try await bench.store.totals() == Store.Totals(devices: 0, watchEntries: 0, deliveries: 0, events: 0))
    }

    @Test("An unregister does not wait for ever while Apple is silent, and nothing is sent after it")
    func unregistersBesideSilence() async throws {
        let bench = try await PushBench(sender: ScriptedSender { _, _ in nil })
        try await bench.register(1..<2)
        try await bench.accept(1..<4)
        try await bench.run { dispatcher in
            let request = try #require(try await bench.sender.requests(count: 1).first)
            let registry = bench.registry(of: dispatcher, patience: .milliseconds(1))
            #expect(try await registry.unregister(token: Samples.token(1)))
            #expect(try await bench.store.registry.device(device) == nil)
            #expect(
                try await bench.store.totals() == Store.Totals(devices: 0, watchEntries: 0, deliveries: 0, events: 0))
            // What was on its way is refused and would be tried again, were the device still there.
            try await bench.accept(4..<6)
            bench.sender.answer(request.id, .deviceThrottled(retryAfter: nil))
            try await bench.drained()
        }
        #expect(bench.sender.count == 1)
        #expect(try await bench.store.totals() == Store.Totals(devices: 0, watchEntries: 0, deliveries: 0, events: 0))
    }

    @Test("A device that came back while its last notification is on its way waits for that one")
    func postpones() async throws {
        let bench = try await PushBench(sender: ScriptedSender { _, _ in nil })
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            let request = try #require(try await bench.sender.requests(count: 1).first)
            for number in 2..<5 as Range<UInt64> {
                try await bench.store.registry.removeDevice(device)
                bench.advance(dispatcher, by: .milliseconds(1))
                try await bench.register(1..<2)
                try await bench.accept(number..<number + 1)
                dispatcher.wake()
                try await bench.clock.asleep { try await bench.store.totals().events == 0 }
            }
            #expect(bench.sender.count == 1)
            bench.sender.use { request, _ in .delivered(apnsID: request.id) }
            bench.sender.answer(request.id, .tokenGone(.unregistered, timestampMilliseconds: .max))
            try await bench.drained()
        }
        // Only the last registration's message was left, and the old answer did not touch the new registration.
        #expect(bench.sender.exchanges.map(\.request.collapseID) == [1, 4].map { Samples.hash($0).description })
        #expect(bench.sender.overlaps.isEmpty)
        #expect(try await bench.store.registry.device(device) != nil)
    }

    @Test("A clock that is set back sends nothing again that is on its way")
    func clockSetBack() async throws {
        let bench = try await PushBench(sender: ScriptedSender { _, _ in nil })
        try await bench.register(1..<41)
        try await bench.register(41..<81, watching: Samples.bob)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            _ = try await bench.sender.requests(count: 40)
            bench.clock.setWall(ahead: -60_000)
            try await bench.accept(2..<3, from: Samples.bob)
            dispatcher.wake()
            _ = try await bench.sender.requests(count: 80)
            bench.sender.use { request, _ in .delivered(apnsID: request.id) }
            bench.sender.answerAll(.delivered(apnsID: ""))
            try await bench.drained()
        }
        #expect(bench.sender.count == 80)
        #expect(bench.sender.overlaps.isEmpty)
    }
}
