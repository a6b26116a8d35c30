import APNs
import Carriers
import Kaspa
import Push
import RecordedLogs
import SampleOperations
import Store
import StoreSupport
import Testing

/// Several carriers under one dispatcher.
@Suite("Several carriers", .timeLimit(.minutes(10)))
struct CarriersTests {
    private static let refused = SendOutcome(
        .carrierWaits(CarrierPause(.refused, "Google refuses the service account")), label: "refused",
        reason: "PERMISSION_DENIED")
    private static let gone = SendOutcome(
        .tokenGone(since: nil), label: "token_gone", reason: "UNREGISTERED", provesCredentials: true)
    private static let invalid = SendOutcome(
        .tokenInvalid, label: "token_invalid", reason: "INVALID_ARGUMENT", provesCredentials: true)

    /// An Android phone whose token is made of `number`.
    private static func android(_ number: Int) -> DeviceRecord {
        var device = Samples.device(number, watching: [Samples.alice])
        device.platform = .android
        device.token = Array("android-\(number):\(String(repeating: "x", count: 60))".utf8)
        return device
    }

    private static func browser(_ number: Int) -> DeviceRecord {
        var device = Samples.device(number, watching: [Samples.alice])
        device.platform = .web
        device.token = Array("https://push.example.org/\(number)".utf8)
        device.subscriptionKeys = .init(
            publicKey: [4] + [UInt8](repeating: 1, count: 64), secret: [UInt8](repeating: 2, count: 16))
        return device
    }

    private static func bench(_ others: [any Carrier], capacity: Int = 1_000) async throws -> PushBench {
        try await PushBench(capacity: capacity, others: others)
    }

    @Test("Each device is told by its own carrier, with all that the carrier needs")
    func own() async throws {
        let (google, web) = (ScriptedCarrier(.fcm), ScriptedCarrier(.webPush))
        let bench = try await Self.bench([google, web])
        try await bench.register(1..<3)
        try await bench.register(Self.android(3))
        try await bench.register(Self.browser(4), onProbation: true)
        try await bench.accept(1..<3)
        try await bench.run { _ in try await bench.drained() }
        #expect(bench.sender.count == 4 && google.pushes.count == 2 && web.pushes.count == 2)
        #expect(google.pushes.allSatisfy { $0.device.token == Self.android(3).token && !$0.isOnProbation })
        #expect(web.pushes.map(\.isOnProbation) == [true, false])
        #expect(web.pushes.allSatisfy { $0.device.subscriptionKeys == Self.browser(4).subscriptionKeys })
        #expect(google.pushes.map(\.delivery.seq) == [1, 2])
        #expect(try bench.store.checkBooks().problems == [])
    }

    @Test("A carrier is handed what is due at once, up to 32 pushes at a time", arguments: [31, 32, 33])
    func together(count: Int) async throws {
        let google = ScriptedCarrier(.fcm)
        let bench = try await Self.bench([google])
        for number in 1...count { try await bench.register(Self.android(number)) }
        try await bench.accept(1..<2)
        try await bench.run { _ in try await bench.drained() }
        #expect(google.pushes.count == count)
        #expect(google.together == (count > 32 ? [32, count - 32] : [count]))
    }

    @Test("A carrier has as many pushes as streams, and up to a hundred that wait for one")
    func capacity() {
        #expect([1, 99, 100, 101, 1_000].map { APNsCarrier.capacity(streams: $0) } == [2, 198, 200, 201, 1_100])
    }

    @Test("A carrier that is silent keeps its own capacity busy and delays no other")
    func silent() async throws {
        let google = ScriptedCarrier(.fcm, capacity: 3) { _, _ in nil }
        let bench = try await Self.bench([google], capacity: 2)
        for number in 1..<11 { try await bench.register(Self.android(number)) }
        try await bench.register(11..<16)
        try await bench.accept(1..<4)
        try await bench.run { dispatcher in
            while bench.sender.count < 15 || google.heldCount < 3 {
                try Task.checkCancellation()
                await Task.yield()
            }
            #expect(bench.sender.count == 15 && google.heldCount == 3 && google.most == 3)
            #expect(await dispatcher.trouble(of: .fcm) == nil)
            google.use { _, _ in .delivered }
            google.answerAll(.delivered)
            try await bench.drained()
        }
        #expect(google.pushes.count == 30)
        #expect(try bench.store.checkBooks().problems == [])
    }

    @Test("A carrier that refuses our credentials is probed alone; its deliveries wait, the others go")
    func refuses() async throws {
        let google = ScriptedCarrier(.fcm) { _, _ in Self.refused }
        let bench = try await Self.bench([google])
        for number in 1..<5 { try await bench.register(Self.android(number)) }
        try await bench.register(5..<7)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            while await dispatcher.trouble(of: .fcm) == nil || bench.sender.count < 2 {
                try Task.checkCancellation()
                await Task.yield()
            }
            #expect(await dispatcher.trouble(of: .apns) == nil)
            #expect(
                await dispatcher.sendingTrouble
                    == "Sending is paused: Google refuses the service account; next try in 5 s.")
            // More for the other carrier goes at once, and nothing more for this one.
            let before = google.pushes.count
            try await bench.accept(2..<4)
            dispatcher.wake()
            while bench.sender.count < 6 {
                try Task.checkCancellation()
                await Task.yield()
            }
            #expect(google.pushes.count == before)
            google.use { _, _ in .delivered }
            try await bench.passTime { try await bench.isQuiet }
            #expect(await dispatcher.trouble(of: .fcm) == nil)
        }
        #expect(try bench.store.checkBooks().problems == [])
        #expect(try await bench.store.outbox.books().deliveriesDelivered == 18)
    }

    @Test("A token that is gone, nobody says since when, ends the registration that was there when it was sent")
    func gone() async throws {
        let google = ScriptedCarrier(.fcm) { _, _ in nil }
        let bench = try await Self.bench([google])
        let (dead, renewed) = (Self.android(1), Self.android(2))
        try await bench.register(dead)
        try await bench.register(renewed)
        try await bench.accept(1..<2)
        try await bench.run { _ in
            while google.heldCount < 2 {
                try Task.checkCancellation()
                await Task.yield()
            }
            bench.clock.advance(by: .seconds(1))
            try await bench.register(renewed)
            google.answerAll(Self.gone)
            try await bench.drained()
        }
        #expect(try await bench.store.registry.device(dead.id) == nil)
        #expect(try await bench.store.registry.device(renewed.id) != nil)
        #expect(try bench.store.checkBooks().problems == [])
    }

    @Test("Successes of one carrier do not vouch for another that calls all tokens invalid")
    func guardsAlone() async throws {
        let google = ScriptedCarrier(.fcm) { _, _ in Self.invalid }
        let bench = try await Self.bench([google])
        for number in 1..<5 { try await bench.register(Self.android(number)) }
        try await bench.register(5..<30)
        try await bench.accept(1..<10)
        try await bench.run { _ in try await bench.drained() }
        for number in 1..<5 { #expect(try await bench.store.registry.device(Self.android(number).id) != nil) }
        #expect(bench.log.texts(of: "push.invalid_tokens.guarded").count == 1)
        #expect(try bench.store.checkBooks().problems == [])
    }

    @Test("What a carrier does not send yet is asked for again after the time that it says")
    func notYet() async throws {
        let web = ScriptedCarrier(.webPush) { _, attempt in
            attempt == 1
                ? SendOutcome(.notYet(after: .seconds(7)), label: "not_sent", reason: "HeldBack", isAnswer: false)
                : .delivered
        }
        let bench = try await Self.bench([web])
        try await bench.register(Self.browser(1))
        try await bench.accept(1..<2)
        let start = bench.clock.now
        try await bench.run { _ in try await bench.passTime { try await bench.isQuiet } }
        #expect(web.pushes.count == 2 && bench.clock.now - start >= 7_000)
        #expect(try await bench.store.outbox.books().deliveriesDelivered == 1)
    }

    @Test("What waits for a carrier that is not configured any more expires in its time, and delays nobody")
    func unconfigured() async throws {
        let bench = try await Self.bench([])
        try await bench.register(Self.android(1))
        try await bench.register(2..<3)
        try await bench.accept(1..<2)
        try await bench.run { _ in
            while bench.sender.count < 1 {
                try Task.checkCancellation()
                await Task.yield()
            }
            while try await !bench.isQuiet {
                try Task.checkCancellation()
                bench.clock.advance(by: .seconds(600))
                await Task.yield()
            }
        }
        let books = try await bench.store.outbox.books()
        #expect(books.deliveriesExpired == 1 && books.deliveriesDelivered == 1)
        #expect(try bench.store.checkBooks().problems == [])
    }

    @Test("A device's place says its carrier, and repair restores it")
    func places() async throws {
        let bench = try await Self.bench([])
        try await bench.register(Self.android(1))
        try await bench.accept(1..<2)
        let event = try #require(try await bench.store.outbox.events(after: 0, limit: 1).first)
        let step = try await bench.store.outbox.fanOut(
            event: event.number, lists: [.address(Samples.alice)], limit: 9, ordinaryWatchers: 9,
            now: bench.clock.now, expiresAt: .max
        ) { _, _ in .notify }
        #expect(step.scheduled.map(\.carrier) == [.fcm])
        let check = try bench.store.checkBooks()
        #expect(check.problems == [])
    }
}

extension PushBench {
    /// Whether neither an event nor a delivery waits.
    fileprivate var isQuiet: Bool {
        get async throws {
            let totals = try await store.totals()
            return totals.events == 0 && totals.deliveries == 0
        }
    }
}
