import APNsSandbox
import Testing

@Suite("A script for FCM", .timeLimit(.minutes(5)))
struct ScriptedMessageTests {
    static let answers: [(SandboxAnswer, status: String, errorCode: String?, field: String?)] = [
        (SandboxAnswer(status: 404, reason: "UNREGISTERED"), "NOT_FOUND", "UNREGISTERED", nil),
        (SandboxAnswer(status: 403, reason: "SENDER_ID_MISMATCH"), "PERMISSION_DENIED", "SENDER_ID_MISMATCH", nil),
        (SandboxAnswer(status: 403, reason: "PERMISSION_DENIED"), "PERMISSION_DENIED", nil, nil),
        (SandboxAnswer(status: 401, reason: "UNAUTHENTICATED"), "UNAUTHENTICATED", nil, nil),
        (
            SandboxAnswer(status: 401, reason: "THIRD_PARTY_AUTH_ERROR"), "UNAUTHENTICATED",
            "THIRD_PARTY_AUTH_ERROR", nil
        ),
        (SandboxAnswer(status: 400, reason: "INVALID_ARGUMENT"), "INVALID_ARGUMENT", "INVALID_ARGUMENT", nil),
        (
            SandboxAnswer(status: 400, reason: "INVALID_ARGUMENT", field: "message.token"), "INVALID_ARGUMENT",
            "INVALID_ARGUMENT", "message.token"
        ),
        (SandboxAnswer(status: 429, reason: "QUOTA_EXCEEDED"), "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", nil),
        (SandboxAnswer(status: 500, reason: "INTERNAL"), "INTERNAL", "INTERNAL", nil),
        (SandboxAnswer(status: 503, reason: "UNAVAILABLE"), "UNAVAILABLE", "UNAVAILABLE", nil),
        (SandboxAnswer(status: 503), "UNAVAILABLE", nil, nil),
        (SandboxAnswer(status: 418, reason: "TEAPOT"), "UNKNOWN", "TEAPOT", nil),
    ]

    @Test("answers in Google's shape", arguments: answers)
    func shape(answer: SandboxAnswer, status: String, errorCode: String?, field: String?) async throws {
        try await withGoogle { fixture, connection, accessToken in
            fixture.sandbox.addRule(SandboxRule(.answer(answer), token: GoogleFixture.token, times: 1))
            let request = GoogleFixture.message(accessToken: accessToken)
            let response = try await connection.send(request)
            #expect(response.status == answer.status)
            #expect(response.body.hasPrefix(#"{"error":{"code":\#(answer.status),"message":""#))
            #expect(response.body.contains(#""status":"\#(status)""#))
            let detail = errorCode.map { #"google.firebase.fcm.v1.FcmError","errorCode":"\#($0)""# }
            #expect(response.body.contains(detail ?? #"}}"#))
            #expect(response.body.contains("FcmError") == (errorCode != nil))
            #expect(response.body.contains(#""field":"\#(field ?? "")""#) == (field != nil))
            let entry = try #require(fixture.sandbox.requests.last)
            #expect(entry.reason == answer.reason && entry.status == answer.status && !entry.isAccepted)
            #expect(try await connection.send(request).status == 200)
        }
    }

    @Test("has the same other effects, and hits other carriers' requests only if it does not name one")
    func effects() async throws {
        try await withGoogle { fixture, connection, accessToken in
            let request = GoogleFixture.message(accessToken: accessToken)
            let script = """
                {"rules": [{"carrier": "fcm", "times": 1, "reset": 7},
                           {"carrier": "fcm", "times": 1, "answer": {"status": 429, "retry_after": 7}},
                           {"carrier": "fcm", "times": 1, "half_body": {"status": 404, "reason": "UNREGISTERED"}},
                           {"carrier": "fcm", "times": 1, "answer": {"status": 200, "body": "no JSON"}},
                           {"carrier": "fcm", "times": 1, "delivered": true, "answer": {"status": 503}},
                           {"carrier": "fcm", "times": 1, "delay": 0.01},
                           {"carrier": "fcm", "times": 1, "answer": {"status": 400, "field": "message.data"}}]}
                """
            let state = try await connection.send(fixture.control("POST", "/control/script", script))
            #expect(state.status == 200 && state.body.contains(#""carrier":"fcm""#))
            #expect(try await connection.send(fixture.push()).status == 200)
            #expect(try await connection.send(request).ending == .reset(7))
            #expect(try await connection.send(request).headers["retry-after"] == "7")
            let half = try await connection.send(request)
            #expect(half.ending == .reset(2) && half.body.hasPrefix(#"{"error":{"code":404"#))
            #expect(half.headers["content-length"].flatMap { Int($0) } ?? 0 > half.body.utf8.count)
            #expect(try await connection.send(request).body == "no JSON")
            #expect(try await connection.send(request).status == 503)
            #expect(try await connection.send(request).body.hasPrefix(#"{"name":"projects/test-project/messages/"#))
            #expect(try await connection.send(request).body.contains(#""field":"message.data""#))
            #expect(fixture.sandbox.notifications.map(\.carrier) == [.apns, .fcm, .fcm, .fcm])
            #expect(fixture.sandbox.notifications.map(\.status) == [200, 200, 503, 200])
        }
    }

    @Test("that closes with GOAWAY answers as usual, and the connection's limit rises with a success")
    func goAway() async throws {
        try await withGoogle({ ($0.oneStreamUntilFirstSuccess, $0.maximumStreams) = (true, 50) }) {
            fixture, connection, accessToken in
            #expect(try await connection.streamLimits(count: 2) == [1, 50])
            fixture.sandbox.addRule(SandboxRule(.goAway(SandboxGoAway(lastStream: .all)), carrier: .fcm, times: 1))
            let response = try await connection.send(GoogleFixture.message(accessToken: accessToken))
            #expect(response.body == #"{"name":"projects/test-project/messages/1"}"#)
            try await connection.closed()
        }
    }
}
