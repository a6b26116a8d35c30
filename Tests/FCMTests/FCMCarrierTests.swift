import Carriers
import HTTP2Client
import Logging
import RecordedLogs
import SampleOperations
import ServiceLifecycle
import Store
import Synchronization
import Testing

@testable import FCM

@Suite("FCM carrier", .timeLimit(.minutes(5)))
struct FCMCarrierTests {
    private let clock = ManualClock()
    private let tokens = ScriptedEndpoint { number, _ in .token("t\(number)") }
    private let google = ScriptedEndpoint { _, _ in .answer(200, #"{"name":"projects/kasia-test/messages/1"}"#) }
    private let logs = RecordedLogs()
    private let push = Samples.push(.handshake, payload: Samples.handshake())

    private func carrier(_ change: (inout FCMConfiguration) -> Void = { _ in }) throws -> FCMCarrier {
        var configuration = FCMConfiguration(account: try SampleAccount.account())
        change(&configuration)
        return try FCMCarrier(configuration: configuration, clock: clock.machine, logger: logs.logger) {
            [tokens, google] origin, _, _ in
            (origin == FCMConfiguration.googleEndpoint ? google : tokens).transport
        }
    }

    /// Runs a carrier while `body` does something with it.
    private func running<Result: Sendable>(
        _ carrier: FCMCarrier, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await carrier.run() }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    @Test("is FCM, with room for its streams")
    func name() throws {
        let carrier = try carrier {
            $0.connections = 3
            $0.streams = 50
        }
        #expect(carrier.name == .fcm)
        #expect(carrier.capacity == 250)
        #expect(carrier.destination(of: push.device) == nil)
    }

    @Test("sends to the project's path, with the access token")
    func sends() async throws {
        let carrier = try carrier()
        try await running(carrier) { [self] in
            #expect(await carrier.send(push) == .delivered)
            #expect(await carrier.send(push) == .delivered)
        }
        #expect(tokens.requests.count == 1)
        #expect(google.requests.map(\.path) == Array(repeating: "/v1/projects/kasia-test/messages:send", count: 2))
        #expect(String(decoding: google.requests[0].body, as: UTF8.self).hasPrefix(#"{"message":{"token":"fQ1:"#))
        #expect(google.shared.map(\.generation) == [1, 1])
        #expect(google.shared[0] === google.shared[1])
        #expect(google.stops == 1)
        #expect(tokens.stops == 1)
    }

    @Test("sends under the token at hand without a task")
    func fastPath() async throws {
        let carrier = try carrier()
        _ = try await carrier.checkCredentials()
        let outcome = Mutex<SendOutcome?>(nil)
        carrier.send(push) { ended in outcome.withLock { $0 = ended } }
        #expect(outcome.withLock { $0 } == .delivered)
    }

    @Test("sends once more with a fresh token after a 401, and once only")
    func refusedToken() async throws {
        let carrier = try carrier()
        try await running(carrier) { [self] in
            _ = await carrier.send(push)
            clock.advance(10_000)
            google.set { number, _ in
                number == 2 ? .answer(401, #"{"error":{"status":"UNAUTHENTICATED"}}"#) : .answer(200)
            }
            #expect(await carrier.send(push) == .delivered)
            #expect(google.shared.map(\.generation) == [1, 1, 2])
            clock.advance(10_000)
            google.set { _, _ in .answer(401, #"{"error":{"status":"UNAUTHENTICATED"}}"#) }
            let outcome = await carrier.send(push)
            #expect(
                outcome.effect
                    == .carrierWaits(
                        CarrierPause(
                            .refused, "Google refuses the access token for project kasia-test (UNAUTHENTICATED)")))
            #expect(google.requests.count == 5)
            #expect(tokens.requests.count == 3)
            // A token that is only just there is not replaced again.
            _ = await carrier.send(push)
            #expect(google.requests.count == 6)
            #expect(tokens.requests.count == 3)
        }
    }

    @Test("raises an alarm, and keeps the device, when it is not an Android one")
    func thirdParty() async throws {
        let carrier = try carrier()
        google.set { _, _ in
            .answer(
                401,
                #"{"error":{"status":"UNAUTHENTICATED","details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"THIRD_PARTY_AUTH_ERROR"}]}}"#
            )
        }
        try await running(carrier) { [self] in
            for _ in 0..<2 { #expect(await carrier.send(push).effect == .mistake) }
        }
        #expect(google.requests.count == 2)
        #expect(tokens.requests.count == 1)
        #expect(logs.texts(of: "FCM has no credentials for a device of another platform").count == 1)
    }

    @Test("waits when Google refuses the account, and asks it no more often than it may")
    func refusedAccount() async throws {
        let carrier = try carrier()
        tokens.set { _, _ in .answer(400, #"{"error":"invalid_grant"}"#) }
        try await running(carrier) { [self] in
            for _ in 0..<3 {
                guard case .carrierWaits(let pause, nil) = await carrier.send(push).effect else {
                    Issue.record("the carrier should wait")
                    return
                }
                #expect(pause.kind == .refused)
                #expect(pause.sentence.contains("(invalid_grant): its key was revoked"))
            }
        }
        #expect(tokens.requests.count == 1)
        #expect(google.requests.isEmpty)
        #expect(!logs.events.contains { $0.text.contains("PRIVATE") })
    }

    @Test("goes over to another account, its project and its token")
    func replaced() async throws {
        let carrier = try carrier()
        try await running(carrier) { [self] in
            _ = await carrier.send(push)
            carrier.replaceAccount(try SampleAccount.account(["project_id": "other"]))
            #expect(await carrier.send(push) == .delivered)
            #expect(try await carrier.checkCredentials().projectID == "other")
        }
        #expect(google.requests.map(\.path).last == "/v1/projects/other/messages:send")
        #expect(google.shared.map(\.generation) == [1, 2])
        #expect(tokens.stops == 2)
    }

    @Test(
        "goes over to another account with what waits for the old one's token",
        arguments: [OriginSender.Ending.stopped, .token("old"), .answer(400, #"{"error":"invalid_grant"}"#)])
    func replacedMeanwhile(ending: OriginSender.Ending) async throws {
        let carrier = try carrier()
        tokens.set { number, _ in number == 1 ? ending : .token("new") }
        tokens.hold()
        try await running(carrier) { [self] in
            async let outcome = carrier.send(push)
            await tokens.holds()
            carrier.replaceAccount(try SampleAccount.account(["project_id": "other"]))
            tokens.release()
            #expect(await outcome == .delivered)
        }
        #expect(google.requests.map(\.path) == ["/v1/projects/other/messages:send"])
    }

    @Test("renews a token early beside what it sends, and says so when that fails")
    func renewal() async throws {
        let carrier = try carrier()
        try await running(carrier) { [self] in
            _ = await carrier.send(push)
            clock.advance(3_300_000)
            tokens.set { _, _ in .failed(.timeout) }
            tokens.hold()
            #expect(await carrier.send(push) == .delivered)
            await tokens.holds()
            #expect(await carrier.send(push) == .delivered)
            #expect(google.shared.map(\.generation) == [1, 1, 1])
            tokens.release()
        }
        #expect(tokens.requests.count == 2)
        #expect(logs.texts(of: "FCM access token could not be renewed before its end").count == 1)
    }

    @Test("sends no more in a second than it may")
    func rate() async throws {
        let carrier = try carrier { $0.messagesPerMinute = 120 }
        _ = try await carrier.checkCredentials()
        let outcomes = Mutex<[SendOutcome]>([])
        for _ in 0..<3 { carrier.send(push) { ended in outcomes.withLock { $0.append(ended) } } }
        #expect(outcomes.withLock { $0 } == [.delivered, .delivered, .rateLimited(.milliseconds(500))])
        clock.advance(500)
        carrier.send(push) { ended in outcomes.withLock { $0.append(ended) } }
        #expect(outcomes.withLock { $0.last } == .delivered)
        #expect(google.requests.count == 3)
    }

    @Test("hands back what comes after its end")
    func stopped() async throws {
        let carrier = try carrier()
        try await running(carrier) {}
        #expect(await carrier.send(push) == .handedBack("shutting_down"))
        carrier.replaceAccount(try SampleAccount.account())
        #expect(google.requests.isEmpty)
    }

    @Test("hands back what was in flight at its end", arguments: [OriginSender.Ending.stopped, .abandoned])
    func abandoned(ending: OriginSender.Ending) async throws {
        let carrier = try carrier()
        google.set { _, _ in ending }
        try await running(carrier) { [self] in
            #expect(await carrier.send(push).effect == .handedBack)
        }
    }

    @Test("reports what the transport did")
    func transport() async throws {
        let carrier = try carrier()
        google.set { _, _ in .failed(.timeout) }
        try await running(carrier) { [self] in
            #expect(await carrier.send(push) == .transport(.timeout))
        }
    }

    @Test("checks the credentials without a push, and says why they are refused")
    func credentials() async throws {
        let carrier = try carrier()
        #expect(
            try await carrier.checkCredentials()
                == CheckedCredentials(
                    projectID: "kasia-test", clientEmail: "push@kasia-test.iam.gserviceaccount.com",
                    lifetime: .seconds(3_600)))
        #expect(google.requests.isEmpty)
        let refused = try self.carrier()
        tokens.set { _, _ in .answer(400, #"{"error":"invalid_grant"}"#) }
        await #expect(throws: AccessTokenError.self) { try await refused.checkCredentials() }
    }

    @Test("sends a test by itself, as a dry run too", arguments: [false, true])
    func test(dryRun: Bool) async throws {
        let carrier = try carrier()
        #expect(await carrier.test(token: "abc", title: "Hello", body: "World", dryRun: dryRun) == .delivered)
        let body = try #require(google.requests.first?.body)
        #expect(
            String(decoding: body, as: UTF8.self)
                == (dryRun ? #"{"validate_only":true,"# : "{")
                + #""message":{"token":"abc","android":{"priority":"HIGH","ttl":"300s"},"#
                + #""notification":{"title":"Hello","body":"World"},"data":{"type":"test","title":"Hello","body":"World"}}}"#
        )
    }
}
