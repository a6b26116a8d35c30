import APNsSandbox
import Crypto
import FoundationEssentials
import Testing

@Suite("The control endpoint's subscriptions", .timeLimit(.minutes(5)))
struct SubscriptionControlTests {
    private struct PageSubscription: Decodable {
        struct Keys: Decodable {
            let p256dh: String
            let auth: String
        }

        let endpoint: String
        let keys: Keys

        func subscription(_ id: String) -> SandboxSubscription {
            SandboxSubscription(id: id, endpoint: endpoint, p256dh: keys.p256dh, auth: keys.auth)
        }
    }

    @Test("are made as a browser gives them, and the journal shows what is sent to them in clear")
    func made() async throws {
        try await withWebPush { fixture, connection, _, key in
            let response = try await connection.send(fixture.control("POST", "/control/subscriptions"))
            #expect(response.status == 200 && response.body.contains(#""expirationTime":null"#))
            let made = try JSONDecoder().decode(PageSubscription.self, from: Data(response.body.utf8))
            #expect(made.endpoint.hasPrefix(fixture.sandbox.origin + "/push/"))
            #expect(made.keys.p256dh.count == 87 && made.keys.auth.count == 22)
            let id = String(made.endpoint.dropFirst(fixture.sandbox.origin.count + "/push/".count))
            let subscription = made.subscription(id)
            let message = try WebPushFixture.message(fixture, to: subscription, from: key)
            #expect(try await connection.send(message).status == 201)
            let page = try await connection.send(fixture.control("GET", "/control/notifications"))
            let contents = String(decoding: WebPushFixture.plainText, as: UTF8.self)
                .replacing(#"""#, with: #"\""#)
            #expect(page.body.contains(#""contents":"\#(contents)""#))
            #expect(page.body.contains(#""body":"\#(Data(message.body).base64EncodedString())""#))
            #expect(page.body.contains(#""carrier":"web_push""#) && page.body.contains(#""ttl":60"#))
            #expect(page.body.contains(#""id":"\#(WebPushFixture.topic)""#) && !page.body.contains("apns_id"))
            let state = try await connection.send(fixture.control("GET", "/control/state"))
            #expect(state.body.contains(#""subscriptions":2"#))
            let ended = try await connection.send(fixture.control("DELETE", "/control/subscriptions/\(id)"))
            #expect(ended.status == 200)
            #expect(try await connection.send(message).status == 410)
            #expect(try await connection.send(fixture.control("DELETE", "/control/subscriptions/x")).status == 404)
        }
    }

    @Test("have the id and the sender that are asked for")
    func asked() async throws {
        try await withWebPush { fixture, connection, _, key in
            let body = #"{"id": "mine", "application_server_key": "\#(WebPushFixture.publicKey(key))"}"#
            let response = try await connection.send(fixture.control("POST", "/control/subscriptions", body))
            let made = try JSONDecoder().decode(PageSubscription.self, from: Data(response.body.utf8))
            #expect(made.endpoint == fixture.sandbox.origin + "/push/mine")
            let subscription = made.subscription("mine")
            let stranger = P256.Signing.PrivateKey()
            for (sender, status) in [(key, 201), (stranger, 403)] {
                let message = try WebPushFixture.message(fixture, to: subscription, from: sender)
                #expect(try await connection.send(message).status == status)
            }
        }
    }

    @Test(
        "are refused with a sentence",
        arguments: [
            ("x", "The request is not valid JSON."), ("[]", "The request: must be an object."),
            (#"{"id": "a/b"}"#, "id: must be 1 to 256 characters of A-Z, a-z, 0-9, - and _."),
            (#"{"id": ""}"#, "id: must be 1 to 256 characters of A-Z, a-z, 0-9, - and _."),
            (#"{"application_server_key": "AAAA"}"#, "application_server_key: must be 65 bytes in base64url."),
            (
                #"{"key": "AAAA"}"#,
                #"The request: there is no key \"key\" here; possible are id, application_server_key."#
            ),
        ])
    func refused(body: String, sentence: String) async throws {
        try await withWebPush { fixture, connection, _, _ in
            let response = try await connection.send(fixture.control("POST", "/control/subscriptions", body))
            #expect(response.status == 400 && response.body == "{\"error\":\"\(sentence)\"}\n")
        }
    }

    @Test("are not made by a sandbox that plays no Web Push service")
    func isOff() async throws {
        try await withSandbox { fixture in
            let connection = try await fixture.connect()
            #expect(try await connection.send(fixture.control("POST", "/control/subscriptions")).status == 404)
            let ending = fixture.control("DELETE", "/control/subscriptions/x")
            #expect(try await connection.send(ending).status == 404)
        }
    }
}
