import Carriers
import HTTP2Client
import Logging
import RecordedLogs
import SampleOperations
import ServiceLifecycle
import Store
import Synchronization
import Testing

@testable import WebPush

@Suite("Web Push carrier", .timeLimit(.minutes(5)))
struct WebPushCarrierTests {
    private let clock = ManualClock()
    private let services = ScriptedOrigins()
    private let logs = RecordedLogs()
    private let key = VAPIDKey.make()

    private var messages: [String] { logs.events.map(\.message) }

    private func carrier(_ change: (inout WebPushConfiguration) throws -> Void = { _ in }) throws -> WebPushCarrier {
        var configuration = WebPushConfiguration(
            key: key, subject: "mailto:push@example.org", allowedOrigins: try AllowedOrigins(["*"]))
        try change(&configuration)
        return try WebPushCarrier(
            configuration: configuration, clock: clock.machine, logger: logs.logger, connect: services.connect)
    }

    @Test("is Web Push; an origin has half of its room, and is not trusted")
    func names() throws {
        let carrier = try carrier { $0.capacity = 30 }
        #expect(carrier.name == .webPush && carrier.capacity == 30)
        #expect(carrier.publicKeyText == key.publicKeyText)
        #expect(
            carrier.destination(of: Samples.push(to: "https://Push.example:443/a").device)
                == CarrierDestination(name: "https://push.example", share: 2))
        #expect(carrier.destination(of: Samples.push(to: "nonsense").device) == nil)
    }

    @Test("sends what RFC 8030, 8188, 8291 and 8292 ask for")
    func request() async throws {
        let browser = Browser()
        let carrier = try carrier()
        let push = Samples.push(to: "https://push.example:8443/p?q=1", keys: browser.keys)
        let outcome = await carrier.send(push)
        #expect(outcome.effect == .delivered && !outcome.provesCredentials)
        let sent = try #require(services.sent.first)
        #expect(sent.origin == "https://push.example:8443")
        #expect(sent.request.path == "/p?q=1")
        #expect(
            sent.request.fields == [
                HeaderField("ttl", "86400"), HeaderField("topic", "q6urq6urq6urq6urq6urq6urq6urq6ur"),
            ])
        #expect(sent.shared.values["authorization"]?.hasSuffix(",k=\(key.publicKeyText)") == true)
        #expect(
            try browser.open(sent.request.body)
                == WebPushMessage(maximumPayloadBytes: 3_500).encode(push))
        let settings = try #require(services.made.first)
        #expect(!settings.provesConnections && settings.addresses == .publicOnly && settings.resolve.isEmpty)
    }

    @Test("private addresses are the operator's word")
    func privateAddresses() async throws {
        let carrier = try carrier { $0.allowsPrivateAddresses = true }
        _ = await carrier.send(Samples.push())
        #expect(services.made.map(\.addresses) == [.any])
    }

    @Test(
        "a push is kept until it expires, for 28 days at most",
        arguments: [
            (1_699_999_999, "0"), (1_700_000_000, "0"), (1_700_000_001, "1"), (1_702_419_199, "2419199"),
            (1_702_419_200, "2419200"), (1_702_419_201, "2419200"), (.max, "2419200"),
        ] as [(UInt64, String)])
    func timeToLive(expiration: UInt64, value: String) async throws {
        _ = await (try carrier()).send(Samples.push(expiration: expiration))
        #expect(services.sent.first?.request.fields.first == HeaderField("ttl", value))
    }

    @Test("what cannot be sent is not sent, and says why")
    func unsendable() async throws {
        let carrier = try carrier { $0.allowedOrigins = try AllowedOrigins(["https://push.example"]) }
        var wrong = Browser().keys
        wrong.publicKey[64] ^= 1
        for (push, effect, reason) in [
            (Samples.push(to: "http://push.example/a"), SendOutcome.Effect.tokenInvalid, "UnusableEndpoint"),
            (Samples.push(keys: nil), .tokenInvalid, "UnusableKeys"),
            (Samples.push(keys: wrong), .tokenInvalid, "UnusableKeys"),
            (Samples.push(to: "https://other.example/a"), .retry(atLeast: .seconds(900)), "OriginNotAllowed"),
        ] {
            let outcome = await carrier.send(push)
            #expect(outcome.effect == effect && outcome.reason == reason)
        }
        #expect(services.sent.isEmpty)
        // The place of the one with wrong keys was given back.
        clock.advance(600_000)
        carrier.stopIdle()
        #expect(carrier.origins.withLock { $0.heldBack }.isEmpty)
    }

    @Test("an origin that refuses our key is held back alone, with one probe at a time, until it accepts one")
    func gate() async throws {
        let carrier = try carrier()
        services.set { $0.origin == "https://push.example" ? .status(403) : .status(201) }
        let first = await carrier.send(Samples.push())
        #expect(first.effect == .notYet(after: .seconds(10)) && first.reason == "VAPIDRefused")
        let second = await carrier.send(Samples.push())
        #expect(second.effect == .notYet(after: .seconds(5)) && second.reason == "OriginHeldBack")
        #expect(await carrier.send(Samples.push(to: "https://other.example/a")).isDelivered)
        #expect(services.sent.count == 2)
        let trouble = try #require(carrier.trouble)
        #expect(trouble.hasPrefix("https://push.example refuses the VAPID key or token"))

        clock.advance(5_000)
        #expect(await carrier.send(Samples.push()).effect == .notYet(after: .seconds(20)))
        #expect(await carrier.send(Samples.push()).effect == .notYet(after: .seconds(10)))
        clock.advance(10_000)
        services.set { _ in .status(201) }
        services.hold()
        let probe = Mutex<SendOutcome?>(nil)
        carrier.send(Samples.push()) { outcome in probe.withLock { $0 = outcome } }
        await services.untilHeld(1)
        #expect(await carrier.send(Samples.push()).effect == .notYet(after: .seconds(1)))
        services.release()
        #expect(probe.withLock { $0?.isDelivered } == true)
        #expect(await carrier.send(Samples.push()).isDelivered)
        #expect(carrier.trouble == nil)
        #expect(messages.count { $0 == "Web Push service refuses the VAPID key or token" } == 1)
        #expect(messages.last == "Web Push service accepts the VAPID key again")
    }

    @Test("a refused token is made anew for the probe")
    func freshToken() async throws {
        let carrier = try carrier()
        services.set { _ in .status(401) }
        _ = await carrier.send(Samples.push())
        clock.advance(5_000)
        _ = await carrier.send(Samples.push())
        let tokens = services.sent.map { $0.shared.values["authorization"] }
        #expect(tokens.count == 2 && tokens[0] != tokens[1])
    }

    @Test("a stranger's subscription with another key holds nobody back")
    func probation() async throws {
        let carrier = try carrier()
        services.set { _ in .status(403) }
        let outcome = await carrier.send(Samples.push(isOnProbation: true))
        #expect(outcome.effect == .tokenInvalid && outcome.reason == "VAPIDRefused")
        services.set { _ in .status(201) }
        #expect(await carrier.send(Samples.push()).isDelivered)
        #expect(carrier.trouble == nil)
    }

    @Test("a subscription that is refused while others are taken waits alone")
    func oneSubscription() async throws {
        let carrier = try carrier()
        services.set { $0.request.path == "/bad" ? .status(403) : .status(201) }
        services.hold()
        let bad = Mutex<SendOutcome?>(nil)
        carrier.send(Samples.push(to: "https://push.example/good")) { _ in }
        await services.untilHeld(1)
        carrier.send(Samples.push(to: "https://push.example/bad")) { outcome in bad.withLock { $0 = outcome } }
        await services.untilHeld(2)
        services.release()
        #expect(bad.withLock { $0?.effect } == .retry(atLeast: .seconds(900)))
        #expect(await carrier.send(Samples.push(to: "https://push.example/good")).isDelivered)
    }

    @Test("an address that is not public is a mistake of the endpoint")
    func addressRefused() async throws {
        let carrier = try carrier()
        services.set { _ in .failed(.addressRefused) }
        #expect(await carrier.send(Samples.push(isOnProbation: true)).effect == .tokenInvalid)
        #expect(await carrier.send(Samples.push()).effect == .retry(atLeast: .seconds(900)))
    }

    @Test("failures are logged once a minute, not for each push")
    func failures() async throws {
        let carrier = try carrier()
        services.set { _ in .failed(.dns) }
        for number in 0..<20 {
            let outcome = await carrier.send(Samples.push(to: "https://h\(number).example/a"))
            #expect(outcome == .transport(.dns, atLeast: .seconds(1)))
        }
        #expect(messages == ["Web Push service could not be reached"])
    }

    @Test("at most so many origins are sent to at once; idle ones make room")
    func crowded() async throws {
        let carrier = try carrier { $0.maximumOrigins = 2 }
        services.hold()
        for host in ["a", "b"] { carrier.send(Samples.push(to: "https://\(host).example/a")) { _ in } }
        let outcome = await carrier.send(Samples.push(to: "https://c.example/a"))
        #expect(outcome.effect == .notYet(after: .seconds(1)) && outcome.reason == "ManyOrigins")
        await services.untilHeld(2)
        services.release()
        try await running(carrier) {
            while await !carrier.send(Samples.push(to: "https://c.example/a")).isDelivered { await Task.yield() }
        }
        #expect(services.made.count == 3)
        #expect(services.stopped.first.map { ["https://a.example", "https://b.example"].contains($0) } == true)
    }

    @Test("origins that were not used for ten minutes are let go")
    func idle() async throws {
        let carrier = try carrier()
        _ = await carrier.send(Samples.push())
        try await running(carrier) {
            clock.advance(599_999)
            carrier.stopIdle()
            #expect(services.stopped.isEmpty)
            clock.advance(1)
            carrier.stopIdle()
            while services.stopped.isEmpty { await Task.yield() }
        }
        #expect(services.stopped == ["https://push.example"] && services.drains == [.zero])
        _ = carrier
    }

    @Test("a graceful shutdown lets what is in flight finish, and takes nothing more")
    func shutdown() async throws {
        let carrier = try carrier { $0.drainTimeout = .seconds(7) }
        _ = await carrier.send(Samples.push())
        let group = ServiceGroup(services: [carrier], logger: logs.logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(services.drains == [.seconds(7)])
        #expect(await carrier.send(Samples.push()) == .handedBack("shutting_down"))
    }

    @Test("what was in flight at the end is handed back")
    func abandoned() async throws {
        let carrier = try carrier()
        services.set { _ in .abandoned }
        #expect(await carrier.send(Samples.push()) == .handedBack("abandoned"))
        services.set { _ in .stopped }
        #expect(await carrier.send(Samples.push()) == .handedBack("shutting_down"))
    }

    @Test("an answer that was cut short says what its status says")
    func cutShort() async throws {
        services.set { _ in .answered(HTTPAnswer(status: 410), isComplete: false) }
        #expect(await (try carrier()).send(Samples.push()).effect == .tokenGone(since: nil))
    }

    @Test("a test message has a title and a body")
    func testMessage() async throws {
        let browser = Browser()
        let carrier = try carrier()
        let outcome = await carrier.test(endpoint: Samples.endpoint, keys: browser.keys, title: "T", body: "B")
        #expect(outcome.isDelivered)
        let request = try #require(services.sent.first?.request)
        #expect(request.fields == [HeaderField("ttl", "3600")])
        #expect(
            String(decoding: try browser.open(request.body), as: UTF8.self)
                == #"{"title":"T","body":"B","type":"test"}"#)
        #expect(await carrier.test(endpoint: "x", keys: browser.keys, title: "", body: "").reason == "UnusableEndpoint")
        // A title of any length is refused, not cut.
        let long = await carrier.test(
            endpoint: Samples.endpoint, keys: browser.keys, title: String(repeating: "a", count: 4_000), body: "")
        #expect(long.reason == "PayloadTooLarge" && services.sent.count == 1)
    }

    @Test("says why an endpoint cannot be registered")
    func refusals() throws {
        let carrier = try carrier { $0.allowedOrigins = .browsers }
        #expect(carrier.refusal(of: "https://fcm.googleapis.com/fcm/send/a") == nil)
        #expect(
            carrier.refusal(of: "https://push.example/a") == "is at none of the push services that this server allows")
        #expect(carrier.refusal(of: "http://fcm.googleapis.com/a") == "must be an https URL")
    }

    /// Runs a carrier while `body` does something with it.
    private func running(_ carrier: WebPushCarrier, _ body: () async throws -> Void) async throws {
        let task = Task { try await carrier.run() }
        try await body()
        task.cancel()
        try await task.value
    }
}
