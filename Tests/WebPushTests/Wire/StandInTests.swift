import APNsSandbox
import Carriers
import Foundation
import Logging
import RecordedLogs
import SampleOperations
import Store
import Testing

@testable import WebPush

@Suite("Web Push over the wire", .timeLimit(.minutes(2)))
struct StandInTests {
    private let key = VAPIDKey.make()

    /// Runs `body` with a push service at this machine and a carrier that may send there.
    private func withService(
        isPrivateAllowed: Bool = true, _ body: (APNsSandbox, WebPushCarrier) async throws -> Void
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
            logger: RecordedLogs().logger)
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
                    == WebPushMessage(maximumPayloadBytes: 3_500).encode(push.delivery, payload: push.payload))
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
