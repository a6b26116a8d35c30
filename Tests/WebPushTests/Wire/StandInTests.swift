import APNsSandbox
import Carriers
import Clocks
import Foundation
import HTTP2Client
import Logging
import RecordedLogs
import SampleOperations
import Store
import Synchronization
import Testing

@testable import WebPush

@Suite("Web Push over the wire", .timeLimit(.minutes(5)))
struct StandInTests {
    private let key = VAPIDKey.make()

    /// Runs `body` with a push service at this machine and a carrier that may send there.
    private func withService(
        isPrivateAllowed: Bool = true, clock: MachineClock = .system,
        _ body: (APNsSandbox, WebPushCarrier) async throws -> Void
    ) async throws {
        var configuration = SandboxConfiguration(credentials: .generate())
        configuration.webPush = true
        let sandbox = try APNsSandbox(configuration: configuration, logger: RecordedLogs().logger)
        try await sandbox.start()
        let authority = NSTemporaryDirectory() + "/kasia-web-push-" + UUID().uuidString + ".pem"
        try sandbox.certificateAuthorityPEM.write(toFile: authority, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: authority) }
        let carrier = try WebPushCarrier(
            configuration: WebPushConfiguration(
                key: key, subject: "mailto:push@example.org", allowedOrigins: try AllowedOrigins([sandbox.origin]),
                allowsPrivateAddresses: isPrivateAllowed, certificateAuthorityPath: authority),
            clock: clock, logger: RecordedLogs().logger)
        let running = Task { try await carrier.run() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(sandbox, carrier))
        } catch {
            result = .failure(error)
        }
        running.cancel()
        try await running.value
        await sandbox.stop()
        try result.get()
    }

    private func push(
        to subscription: SandboxSubscription, isOnProbation: Bool = false
    ) throws -> OutgoingPush {
        Samples.push(
            to: subscription.endpoint,
            keys: DeviceRecord.SubscriptionKeys(
                publicKey: try base64URL(subscription.p256dh), secret: try base64URL(subscription.auth)),
            expiration: UInt64(Date().timeIntervalSince1970) + 3_600, isOnProbation: isOnProbation)
    }

    @Test("a push arrives as the service and the browser want it")
    func delivered() async throws {
        try await withService { sandbox, carrier in
            let subscription = sandbox.makeSubscription(applicationServerKey: key.publicKeyText)
            let push = try push(to: subscription)
            let outcome = await carrier.send(push)
            #expect(outcome.isDelivered)
            let received = try #require(sandbox.notifications.first)
            #expect(received.token == subscription.id && received.urgency == "high")
            #expect((3_590...3_600).contains(received.timeToLive ?? 0))
            #expect(
                received.contents
                    == WebPushMessage(maximumPayloadBytes: 3_500).encode(push))
        }
    }

    /// A row of the table from answers to what follows.
    struct Row: CustomTestStringConvertible, Sendable {
        let answer: SandboxAnswer
        let effect: SendOutcome.Effect
        let reason: String

        init(_ status: Int, retryAfter: Int? = nil, _ effect: SendOutcome.Effect, _ reason: String) {
            answer = SandboxAnswer(status: status, retryAfter: retryAfter.map { .seconds($0) })
            (self.effect, self.reason) = (effect, reason)
        }

        var testDescription: String { "\(answer.status) \(reason)" }
    }

    static let rows = [
        Row(200, .delivered, "None"), Row(201, .delivered, "None"), Row(202, .delivered, "None"),
        Row(204, .delivered, "None"),
        Row(307, .mistake, "Redirect"), Row(400, .mistake, "BadRequest"), Row(402, .mistake, "BadRequest"),
        Row(404, .tokenGone(since: nil), "NotFound"), Row(410, .tokenGone(since: nil), "Gone"),
        Row(408, .retry(atLeast: .seconds(1)), "RequestTimeout"),
        Row(413, .tooLarge, "PayloadTooLarge"),
        Row(429, .deviceWaits(nil), "TooManyRequests"),
        Row(429, retryAfter: 90, .deviceWaits(.seconds(90)), "TooManyRequests"),
        Row(500, .retry(atLeast: .seconds(1)), "ServerError"),
        Row(502, retryAfter: 7, .retry(notBefore: .seconds(7), atLeast: .seconds(1)), "ServerError"),
        Row(503, retryAfter: 30, .retry(notBefore: .seconds(30), atLeast: .seconds(1)), "ServerError"),
    ]

    @Test("each answer has its effect, and none of them holds back the next push")
    func table() async throws {
        try await withService { sandbox, carrier in
            let push = try push(to: sandbox.makeSubscription(applicationServerKey: key.publicKeyText))
            for row in Self.rows {
                sandbox.addRule(SandboxRule(.answer(row.answer), carrier: .webPush, times: 1))
                let outcome = await carrier.send(push)
                #expect(outcome.effect == row.effect && outcome.reason == row.reason, "\(row.testDescription)")
            }
            #expect(sandbox.requests.count == Self.rows.count)
            #expect(await carrier.send(push).isDelivered)
        }
    }

    @Test("a date in retry-after is kept as a date")
    func retryDate() async throws {
        try await withService { sandbox, carrier in
            let push = try push(to: sandbox.makeSubscription(applicationServerKey: key.publicKeyText))
            let answer = SandboxAnswer(status: 503, retryAfter: .date(secondsFromNow: 600))
            sandbox.addRule(SandboxRule(.answer(answer), carrier: .webPush, times: 1))
            let earliest = UInt64(Date().timeIntervalSince1970) + 599
            guard case .retry(.date(unixSeconds: let date), _) = await carrier.send(push).effect else {
                Issue.record("The date was not read.")
                return
            }
            #expect((earliest...earliest + 60).contains(date))
        }
    }

    @Test("a refused VAPID token holds back its origin, and a probe opens it again", arguments: [401, 403])
    func vapidRefused(status: Int) async throws {
        let clock = MachineClock.system
        let later = Atomic<UInt64>(0)
        let shifted = MachineClock(
            wall: clock.wall, uptime: { clock.uptime() + later.load(ordering: .relaxed) })
        try await withService(clock: shifted) { sandbox, carrier in
            let push = try push(to: sandbox.makeSubscription(applicationServerKey: key.publicKeyText))
            let refusal = SandboxAnswer(status: status)
            sandbox.addRule(SandboxRule(.answer(refusal), carrier: .webPush, times: 1))
            let refused = await carrier.send(push)
            #expect(refused.effect == .notYet(after: .seconds(10)) && refused.reason == "VAPIDRefused")
            let held = await carrier.send(push)
            guard case .notYet = held.effect, held.reason == "OriginHeldBack" else {
                Issue.record("\(held)")
                return
            }
            #expect(sandbox.requests.count == 1 && carrier.trouble != nil)
            later.store(5_000, ordering: .relaxed)
            #expect(await carrier.send(push).isDelivered)
            #expect(carrier.trouble == nil)
        }
    }

    @Test("a reset or an unanswered push says nothing of the subscription")
    func troubles() async throws {
        try await withService { sandbox, carrier in
            let push = try push(to: sandbox.makeSubscription(applicationServerKey: key.publicKeyText))
            sandbox.addRule(SandboxRule(.resetStream(errorCode: 2), carrier: .webPush, times: 1))
            let reset = await carrier.send(push)
            #expect(reset.effect == .retry(atLeast: .seconds(1)) && reset.reason == "reset" && !reset.isAnswer)
            #expect(await carrier.send(push).isDelivered)
        }
    }

    @Test("many pushes share one connection")
    func many() async throws {
        try await withService { sandbox, carrier in
            let subscription = sandbox.makeSubscription(applicationServerKey: key.publicKeyText)
            let push = try push(to: subscription)
            let delivered = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<200 { group.addTask { await carrier.send(push).isDelivered } }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(delivered == 200 && sandbox.notifications.count == 200)
            #expect(sandbox.counts.connections == 1)
        }
    }

    @Test("an ended subscription is gone, and one of another key is refused")
    func refused() async throws {
        try await withService { sandbox, carrier in
            let ended = sandbox.makeSubscription(applicationServerKey: key.publicKeyText)
            sandbox.endSubscription(id: ended.id)
            #expect(await carrier.send(try push(to: ended)).effect == .tokenGone(since: nil))
            let other = sandbox.makeSubscription(applicationServerKey: VAPIDKey.make().publicKeyText)
            let stranger = await carrier.send(try push(to: other, isOnProbation: true))
            #expect(stranger.effect == .tokenInvalid && stranger.reason == "VAPIDRefused")
            #expect(await carrier.send(try push(to: other)).effect == .notYet(after: .seconds(10)))
            #expect(carrier.trouble?.hasPrefix(sandbox.origin) == true)
        }
    }

    @Test("the service says that it speaks UnifiedPush")
    func unifiedPush() async throws {
        try await withService { sandbox, carrier in
            let subscription = sandbox.makeSubscription()
            #expect(await carrier.checkUnifiedPush(subscription.endpoint) == .yes)
        }
    }

    @Test("a service at this machine gets no connection, unless the operator allows it")
    func privateAddress() async throws {
        try await withService(isPrivateAllowed: false) { sandbox, carrier in
            let subscription = sandbox.makeSubscription()
            #expect(await carrier.send(try push(to: subscription, isOnProbation: true)).effect == .tokenInvalid)
            let known = await carrier.send(try push(to: subscription))
            #expect(known.effect == .retry(atLeast: .seconds(900)) && known.reason == "AddressRefused")
            #expect(
                await carrier.checkUnifiedPush(subscription.endpoint)
                    == .no("could not be asked: the name leads to an address that is not public"))
            #expect(sandbox.counts.connections == 0)
        }
    }
}
