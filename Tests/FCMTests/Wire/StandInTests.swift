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

@testable import FCM

/// Google's answers over real TLS and HTTP/2, by the stand-in.
@Suite("FCM over the wire", .timeLimit(.minutes(5)))
struct StandInTests {
    /// A row of Google's table.
    struct Row: CustomTestStringConvertible, Sendable {
        let answer: SandboxAnswer
        let effect: SendOutcome.Effect
        let reason: String

        init(
            _ status: Int, _ code: String?, field: String? = nil, retryAfter: Int? = nil,
            _ effect: SendOutcome.Effect, _ reason: String
        ) {
            answer = SandboxAnswer(
                status: status, reason: code, retryAfter: retryAfter.map { .seconds($0) }, field: field)
            (self.effect, self.reason) = (effect, reason)
        }

        var testDescription: String { "\(answer.status) \(answer.reason ?? "") \(answer.field ?? "")" }
    }

    private static func busy(_ seconds: Int, _ sentence: String, _ retryAfter: UInt64? = nil) -> SendOutcome.Effect {
        .carrierWaits(
            CarrierPause(.busy(atLeast: .seconds(seconds)), sentence), retryAfter.map { .seconds($0) })
    }

    private static let quota = "the quota of messages for the project is used up (QUOTA_EXCEEDED)"
    private static let unavailable = "Google is not available (UNAVAILABLE)"

    static let rows = [
        Row(400, "INVALID_ARGUMENT", field: "message.token", .tokenInvalid, "INVALID_ARGUMENT"),
        Row(400, "INVALID_ARGUMENT", field: "message.data", .mistake, "INVALID_ARGUMENT"),
        Row(401, "THIRD_PARTY_AUTH_ERROR", .mistake, "THIRD_PARTY_AUTH_ERROR"),
        Row(403, "SENDER_ID_MISMATCH", .tokenInvalid, "SENDER_ID_MISMATCH"),
        Row(
            403, "PERMISSION_DENIED",
            .carrierWaits(
                CarrierPause(
                    .refused,
                    "Google refuses to send for project push-sandbox (PERMISSION_DENIED): the Firebase Cloud Messaging "
                        + "API is off, or the service account lacks the role")), "PERMISSION_DENIED"),
        Row(404, "UNREGISTERED", .tokenGone(since: nil), "UNREGISTERED"),
        Row(429, "QUOTA_EXCEEDED", busy(60, quota), "QUOTA_EXCEEDED"),
        Row(429, "QUOTA_EXCEEDED", retryAfter: 90, busy(60, quota, 90), "QUOTA_EXCEEDED"),
        Row(429, "QUOTA_EXCEEDED", field: "message.token", .deviceWaits(nil), "QUOTA_EXCEEDED"),
        Row(500, "INTERNAL", .retry(atLeast: .seconds(10)), "INTERNAL"),
        Row(500, "INTERNAL", retryAfter: 7, .retry(notBefore: .seconds(7), atLeast: .seconds(10)), "INTERNAL"),
        Row(503, "UNAVAILABLE", retryAfter: 30, busy(10, unavailable, 30), "UNAVAILABLE"),
        Row(418, "TEAPOT", .mistake, "Unknown"),
    ]

    /// Runs `body` with a stand-in and a carrier that sends there.
    private func withGoogle(
        clock: MachineClock = .system, _ body: (APNsSandbox, FCMCarrier) async throws -> Void
    ) async throws {
        let google = try GoogleStandIn.generate()
        var configuration = SandboxConfiguration(credentials: .generate())
        configuration.google = google
        let sandbox = try APNsSandbox(configuration: configuration, logger: RecordedLogs().logger)
        try await sandbox.start()
        let authority = NSTemporaryDirectory() + "/kasia-fcm-" + UUID().uuidString + ".pem"
        try sandbox.certificateAuthorityPEM.write(toFile: authority, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: authority) }
        let carrier = try FCMCarrier(
            configuration: FCMConfiguration(
                account: try ServiceAccount(json: google.serviceAccountJSON(origin: sandbox.origin)),
                endpoint: sandbox.origin, certificateAuthorityPath: authority),
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

    private func push(_ number: UInt64) -> OutgoingPush {
        Samples.push(
            .contextualMessage, payload: Samples.message("c2VhbGVk"), number: number,
            expiration: UInt64(Date().timeIntervalSince1970) + 3_600)
    }

    @Test("A message arrives under an access token that was asked for once, and each answer has its effect")
    func table() async throws {
        try await withGoogle { sandbox, carrier in
            let first = await carrier.send(push(1))
            #expect(first.isDelivered)
            for (number, row) in Self.rows.enumerated() {
                sandbox.addRule(SandboxRule(.answer(row.answer), carrier: .fcm, times: 1))
                let outcome = await carrier.send(push(UInt64(number) + 2))
                #expect(outcome.effect == row.effect && outcome.reason == row.reason, "\(row.testDescription)")
            }
            #expect(sandbox.requests.count { $0.carrier == .googleToken } == 1)
            #expect(sandbox.notifications.count == 1)
        }
    }

    private static let unknownToken = SandboxRule(
        .answer(SandboxAnswer(status: 401, reason: "UNAUTHENTICATED")), carrier: .fcm, times: 1)

    @Test("An access token that Google does not know any more is replaced, and the push goes through")
    func renewed() async throws {
        let clock = MachineClock.system
        let later = Atomic<UInt64>(0)
        let shifted = MachineClock(
            wall: clock.wall, uptime: { clock.uptime() + later.load(ordering: .relaxed) })
        try await withGoogle(clock: shifted) { sandbox, carrier in
            #expect(await carrier.send(push(1)).isDelivered)
            // 10 seconds is the age from which another token is worth asking for.
            later.store(10_000, ordering: .relaxed)
            sandbox.addRule(Self.unknownToken)
            #expect(await carrier.send(push(2)).isDelivered)
            #expect(sandbox.requests.count { $0.carrier == .googleToken } == 2)
            #expect(sandbox.requests.count { $0.carrier == .fcm } == 3)
            #expect(sandbox.notifications.count == 2)
        }
    }

    @Test("An access token that is refused right after it was asked for closes the gate")
    func unauthenticated() async throws {
        try await withGoogle { sandbox, carrier in
            sandbox.addRule(Self.unknownToken)
            let outcome = await carrier.send(push(1))
            guard case .carrierWaits(let pause, _) = outcome.effect else {
                Issue.record("\(outcome)")
                return
            }
            #expect(pause.kind == .refused && outcome.reason == "UNAUTHENTICATED")
            #expect(sandbox.requests.count { $0.carrier == .googleToken } == 1)
            #expect(await carrier.send(push(2)).isDelivered)
        }
    }

    @Test("A revoked key closes the gate with Google's reason; silence and lost connections say nothing of the device")
    func troubles() async throws {
        try await withGoogle { sandbox, carrier in
            sandbox.addRule(
                SandboxRule(
                    .answer(SandboxAnswer(status: 400, reason: "invalid_grant")), carrier: .googleToken, times: 1))
            let refused = await carrier.send(push(1))
            guard case .carrierWaits(let pause, _) = refused.effect else {
                Issue.record("\(refused)")
                return
            }
            #expect(pause.kind == .refused && pause.sentence.contains("invalid_grant"))
            #expect(refused.reason == "no_access_token" && !refused.isAnswer)
        }
        try await withGoogle { sandbox, carrier in
            #expect(await carrier.send(push(1)).isDelivered)
            sandbox.addRule(SandboxRule(.resetStream(errorCode: 2), carrier: .fcm, times: 1))
            let reset = await carrier.send(push(2))
            #expect(reset.effect == .retry() && reset.reason == "reset" && !reset.isAnswer)
        }
    }
}
