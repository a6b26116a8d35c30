import APNsSandbox
import FoundationEssentials
import Testing

@Suite("A message to FCM", .timeLimit(.minutes(5)))
struct MessageTests {
    @Test("without a fault is named, answered and recorded field by field")
    func good() async throws {
        try await withGoogle { fixture, connection, accessToken in
            let members =
                #""android":{"priority":"HIGH","ttl":"86400s","collapse_key":"k"},"data":{"type":"payment"},"#
                + #""notification":{"title":"a","body":"b"}"#
            let request = GoogleFixture.message(members: members, accessToken: accessToken)
            let response = try await connection.send(request)
            let name = "projects/test-project/messages/1"
            #expect(response.status == 200 && response.body == #"{"name":"\#(name)"}"#)
            #expect(response.headers["content-type"] == "application/json; charset=UTF-8")
            #expect(response.headers["apns-id"] == nil)
            let entry = try #require(fixture.sandbox.notifications.first)
            #expect(entry.carrier == .fcm && entry.token == GoogleFixture.token && entry.id == name)
            #expect(entry.urgency == "high" && entry.timeToLive == 86_400 && entry.collapseID == "k")
            #expect(entry.body == request.body && entry.contents == nil && entry.isAccepted && entry.status == 200)
            #expect(fixture.sandbox.notifications(to: GoogleFixture.token).count == 1)
            #expect(try await connection.send(request).body.contains("messages/2"))
        }
    }

    @Test("as a dry run is checked, and is no notification")
    func dryRun() async throws {
        try await withGoogle { fixture, connection, accessToken in
            let body = #"{"validate_only":true,"message":{"token":"\#(GoogleFixture.token)"}}"#
            let request = GoogleFixture.message(body, accessToken: accessToken)
            let response = try await connection.send(request)
            #expect(response.status == 200)
            #expect(response.body == #"{"name":"projects/test-project/messages/fake_message_id"}"#)
            fixture.sandbox.addRule(SandboxRule(.silence, carrier: .fcm, times: 1, delivered: true))
            _ = connection.start(request)
            try await fixture.sandbox.waitForRequests(count: 3)
            #expect(fixture.sandbox.notifications.isEmpty)
            let camel = body.replacing("validate_only", with: "validateOnly")
            let other = try await connection.send(GoogleFixture.message(camel, accessToken: accessToken))
            #expect(other.body.contains("fake_message_id"))
        }
    }

    @Test("needs an access token that was given out, for as long as it lives")
    func authorization() async throws {
        try await withGoogle({ $0.google?.tokenLifetimeSeconds = 100 }) { fixture, connection, accessToken in
            fixture.clock.advance(by: 99)
            #expect(try await connection.send(GoogleFixture.message(accessToken: accessToken)).status == 200)
            fixture.clock.advance(by: 1)
            let expired = try await connection.send(GoogleFixture.message(accessToken: accessToken))
            #expect(expired.status == 401)
            #expect(
                expired.body == #"{"error":{"code":401,"message":"The access token has expired.","#
                    + #""status":"UNAUTHENTICATED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","#
                    + #""reason":"ACCESS_TOKEN_EXPIRED","domain":"googleapis.com"}]}}"#)
            let unknown = try await connection.send(GoogleFixture.message(accessToken: "ya29.x"))
            #expect(unknown.status == 401 && unknown.body.contains("ACCESS_TOKEN_TYPE_UNSUPPORTED"))
            var missing = GoogleFixture.message(accessToken: accessToken)
            missing.headers.removeFirst()
            let answer = try await connection.send(missing)
            #expect(answer.status == 401 && answer.body.contains("CREDENTIALS_MISSING"))
            #expect(fixture.sandbox.requests.suffix(3).allSatisfy { $0.reason == "UNAUTHENTICATED" })
            #expect(fixture.sandbox.requests.last?.token == GoogleFixture.token)
        }
    }

    @Test(
        "of another project or at another path is refused",
        arguments: [
            ("POST", "/v1/projects/other/messages:send", 403, "PERMISSION_DENIED"),
            ("POST", "/v1/projects/test-project/messages", 404, "NOT_FOUND"),
            ("POST", "/v1/projects/test-project/x/messages:send", 404, "NOT_FOUND"),
            ("GET", "/v1/projects/test-project/messages:send", 404, "NOT_FOUND"),
        ])
    func place(method: String, path: String, status: Int, word: String) async throws {
        try await withGoogle { fixture, connection, accessToken in
            var request = GoogleFixture.message(accessToken: accessToken)
            (request.method, request.path) = (method, path)
            let response = try await connection.send(request)
            #expect(response.status == status && response.body.contains(#""status":"\#(word)""#))
            #expect(fixture.sandbox.requests.last?.reason == word)
        }
    }

    /// Members of a message, and the field that an error blames; nil for none.
    static let members: [(String, String?)] = [
        (#""data":{}"#, nil), (#""data":{"a":""}"#, nil),
        (#""data":{"a":1}"#, "message.data[0].value"), (#""data":{"a":"x","b":true}"#, "message.data[1].value"),
        (#""data":[]"#, "message.data"), (#""data":{"from":"x"}"#, "message.data"),
        (#""data":{"message_type":"x"}"#, "message.data"), (#""data":{"google.x":"x"}"#, "message.data"),
        (#""data":{"gcm.x":"x"}"#, "message.data"), (#""data":{"googlex":"x","fromage":"x"}"#, nil),
        (#""datum":{}"#, "message"), (#""topic":"t""#, "message"), (#""condition":"c""#, "message"),
        (#""fid":"f""#, "message"),
        (#""notification":{"title":"a","body":"b","image":"c"}"#, nil),
        (#""notification":{"text":"a"}"#, "message.notification"),
        (#""android":{"priority":"high"}"#, nil), (#""android":{"priority":"NORMAL"}"#, nil),
        (#""android":{"priority":"10"}"#, "message.android.priority"),
        (#""android":{"prio":"high"}"#, "message.android"),
        (#""android":{"collapseKey":"k"}"#, nil), (#""android":{"collapse_key":7}"#, "message.android.collapse_key"),
        (#""android":{"ttl":"0s"}"#, nil), (#""android":{"ttl":"1.5s"}"#, nil),
        (#""android":{"ttl":"86400"}"#, "message.android.ttl"), (#""android":{"ttl":86400}"#, "message.android.ttl"),
        (#""android":{"ttl":"-1s"}"#, "message.android.ttl"), (#""android":{"ttl":"s"}"#, "message.android.ttl"),
        (#""android":{"ttl":"2419199s"}"#, nil), (#""android":{"ttl":"2419200s"}"#, nil),
        (#""android":{"ttl":"2419201s"}"#, "message.android.ttl"),
        (#""android":{"data":{"gcm.x":"x"}}"#, "message.android.data"),
        (#""apns":{},"webpush":{},"fcm_options":{}"#, nil), (#""apns":3"#, "message.apns"),
    ]

    @Test("is read strictly, and the error names the field", arguments: members)
    func strict(members: String, field: String?) async throws {
        try await withGoogle { fixture, connection, accessToken in
            let request = GoogleFixture.message(members: members, accessToken: accessToken)
            try await expect(field, request, connection)
            #expect(fixture.sandbox.notifications.count == (field == nil ? 1 : 0))
        }
    }

    @Test(
        "holds at most 4,096 bytes of data, keys and values together",
        arguments: [(4095, true), (4096, true), (4097, false)])
    func size(bytes: Int, isGood: Bool) async throws {
        try await withGoogle { _, connection, accessToken in
            for unit in ["x", "é"] {
                let rest = bytes - 10
                let count = rest / unit.utf8.count
                let filler = String(repeating: "y", count: rest % unit.utf8.count)
                let value = String(repeating: unit, count: count) + filler
                let members = #""data":{"key":"\#(value)","a":"123456"}"#
                let request = GoogleFixture.message(members: members, accessToken: accessToken)
                try await expect(isGood ? nil : "message.data", request, connection)
            }
        }
    }

    @Test(
        "needs a device token of the right characters",
        arguments: [
            (String(repeating: "a", count: 4095), true), (String(repeating: "a", count: 4096), true),
            (String(repeating: "a", count: 4097), false), ("a", true), ("", false), ("a b", false), ("a/b", false),
        ])
    func token(token: String, isGood: Bool) async throws {
        try await withGoogle { _, connection, accessToken in
            let request = GoogleFixture.message(to: token, accessToken: accessToken)
            try await expect(isGood ? nil : "message.token", request, connection)
        }
    }

    @Test(
        "is a JSON object with a message in it",
        arguments: [
            "", "{", "[]", "3", "{}", #"{"message":null}"#, #"{"message":{}}"#, #"{"message":{"token":7}}"#,
            #"{"message":{"token":"a"},"x":1}"#, #"{"message":{"token":"a"},"validate_only":"yes"}"#,
            #"{"message":{"token":"a"}}}"#,
            #"{"message":{"token":"a","apns":{"x":"\#(String(repeating: "x", count: 65_536))"}}}"#,
        ])
    func json(body: String) async throws {
        try await withGoogle { _, connection, accessToken in
            let response = try await connection.send(GoogleFixture.message(body, accessToken: accessToken))
            #expect(response.status == 400 && response.body.contains(#""status":"INVALID_ARGUMENT""#))
        }
    }

    @Test("says that it is JSON, if it says what it is")
    func contentType() async throws {
        try await withGoogle { _, connection, accessToken in
            for (type, status) in [
                (nil, 200), ("application/json; charset=utf-8", 200), ("application/x-www-form-urlencoded", 400),
            ] {
                var request = GoogleFixture.message(accessToken: accessToken)
                request.headers.removeLast()
                if let type { request.headers.append(("content-type", type)) }
                let response = try await connection.send(request)
                #expect(response.status == status)
            }
        }
    }

    @Test("that is refused gets an error in Google's shape")
    func shape() async throws {
        try await withGoogle { _, connection, accessToken in
            let response = try await connection.send(GoogleFixture.message(to: "a b", accessToken: accessToken))
            #expect(
                response.body == #"{"error":{"code":400,"#
                    + #""message":"The registration token is not a valid FCM registration token","#
                    + #""status":"INVALID_ARGUMENT","details":["#
                    + #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"},"#
                    + #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":["#
                    + #"{"field":"message.token","description":"The device token is malformed."}]}]}}"#)
        }
    }

    private func expect(_ field: String?, _ request: TestRequest, _ connection: TestConnection) async throws {
        let response = try await connection.send(request)
        if let field {
            #expect(response.status == 400)
            #expect(response.body.contains(#""fieldViolations":[{"field":"\#(field)","#), "\(response.body)")
        } else {
            #expect(response.status == 200, "\(response.body)")
        }
    }
}
