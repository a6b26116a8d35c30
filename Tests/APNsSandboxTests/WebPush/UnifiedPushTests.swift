import APNsSandbox
import Testing

@Suite("The question whether an endpoint speaks UnifiedPush", .timeLimit(.minutes(5)))
struct UnifiedPushTests {
    @Test("is answered with yes, for any endpoint, and is no notification")
    func yes() async throws {
        try await withWebPush { fixture, connection, subscription, _ in
            for id in [subscription.id, "unknown"] {
                let response = try await connection.send(TestRequest(method: "GET", path: "/push/\(id)"))
                #expect(response.status == 200 && response.body == #"{"unifiedpush":{"version":1}}"#)
            }
            #expect(fixture.sandbox.notifications.isEmpty)
            #expect(fixture.sandbox.requests.map(\.carrier) == [.unifiedPush, .unifiedPush])
            #expect(fixture.sandbox.requests.map(\.token) == [subscription.id, "unknown"])
        }
    }

    @Test("is answered as a script says, if the script names it")
    func scripted() async throws {
        try await withWebPush { fixture, connection, subscription, _ in
            fixture.sandbox.addRule(SandboxRule(.answer(SandboxAnswer(status: 503))))
            let other = SandboxAnswer(status: 200, body: "{}")
            fixture.sandbox.addRule(SandboxRule(.answer(other), carrier: .unifiedPush, times: 1))
            let request = TestRequest(method: "GET", path: "/push/\(subscription.id)")
            let first = try await connection.send(request)
            #expect(first.body == "{}")
            #expect(try await connection.send(request).body == #"{"unifiedpush":{"version":1}}"#)
        }
    }
}
