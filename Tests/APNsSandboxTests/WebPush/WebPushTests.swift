import APNsSandbox
import Crypto
import FoundationEssentials
import Testing

@Suite("A message to a browser", .timeLimit(.minutes(5)))
struct WebPushTests {
    @Test("without a fault is taken, decrypted and recorded field by field")
    func good() async throws {
        try await withWebPush { fixture, connection, subscription, key in
            let request = try WebPushFixture.message(fixture, to: subscription, from: key)
            let response = try await connection.send(request)
            #expect(response.status == 201 && response.body.isEmpty)
            #expect(response.headers["location"]?.hasPrefix(fixture.sandbox.origin + "/message/") == true)
            #expect(response.headers["apns-id"] == nil)
            let entry = try #require(fixture.sandbox.notifications.first)
            #expect(entry.carrier == .webPush && entry.token == "sub-1_A" && entry.id == WebPushFixture.topic)
            #expect(entry.collapseID == WebPushFixture.topic && entry.urgency == "high" && entry.timeToLive == 60)
            #expect(entry.body == request.body && entry.contents == WebPushFixture.plainText)
            #expect(entry.status == 201 && entry.isAccepted && entry.environment == nil)
        }
    }

    @Test("is decrypted whatever its padding", arguments: [0, 1, 3992])
    func padded(padding: Int) async throws {
        try await withWebPush { fixture, connection, subscription, key in
            var request = try WebPushFixture.message(fixture, to: subscription, from: key)
            let text = Array("x".utf8)
            request.body = try WebPushFixture.encrypt(text, for: subscription, padding: padding)
            #expect(request.body.count == 104 + padding)
            #expect(try await connection.send(request).status == 201)
            #expect(fixture.sandbox.notifications.first?.contents == text)
        }
    }

    @Test("for another browser is taken, as a service cannot know, and has no contents")
    func undecryptable() async throws {
        try await withWebPush { fixture, connection, subscription, key in
            var request = try WebPushFixture.message(fixture, to: subscription, from: key)
            request.body = try WebPushFixture.encrypt(Array("x".utf8), for: fixture.sandbox.makeSubscription())
            #expect(try await connection.send(request).status == 201)
            let entry = try #require(fixture.sandbox.notifications.first)
            #expect(entry.contents == nil && entry.isAccepted)
            #expect(NotificationCard(entry).description.contains("not decrypted"))
        }
    }

    @Test("has neither body nor contents in the journal of a sandbox that keeps no bodies")
    func keepsNone() async throws {
        try await withWebPush({ $0.keepsBodies = false }) { fixture, connection, subscription, key in
            let request = try WebPushFixture.message(fixture, to: subscription, from: key)
            #expect(try await connection.send(request).status == 201)
            let entry = try #require(fixture.sandbox.notifications.first)
            #expect(entry.body.isEmpty && entry.contents == nil && entry.bodyLength == request.body.count)
        }
    }

    /// A good message with one thing changed, and its answer.
    static let faults: [FaultCase] = [
        FaultCase("nothing wrong", 201, nil) { _ in },
        FaultCase("method PUT", 405, "MethodNotAllowed") { $0.method = "PUT" },
        .path("/push/unknown", 404, "UnknownSubscription"), .path("/push/", 404, "UnknownSubscription"),
        .path("/push/SUB-1_A", 404, "UnknownSubscription"), .path("/push/sub-1_A/x", 404, "UnknownSubscription"),
        .header("ttl", nil, 400, "MissingTTL"), .header("ttl", "", 400, "BadTTL"), .header("ttl", "-1", 400, "BadTTL"),
        .header("ttl", "1.5", 400, "BadTTL"), .header("ttl", "0", 201, nil), .header("ttl", "2419200", 201, nil),
        .header("urgency", nil, 201, nil), .header("urgency", "very-low", 201, nil),
        .header("urgency", "normal", 201, nil), .header("urgency", "High", 400, "BadUrgency"),
        .header("topic", nil, 201, nil), .header("topic", "", 400, "BadTopic"),
        .header("topic", String(repeating: "t", count: 31), 201, nil),
        .header("topic", String(repeating: "t", count: 32), 201, nil),
        .header("topic", String(repeating: "t", count: 33), 400, "BadTopic"),
        .header("topic", "a+b", 400, "BadTopic"), .header("topic", "ab=", 400, "BadTopic"),
        FaultCase("a topic that comes twice", 400, "DuplicateHeaders") { $0.headers.append(("topic", "t")) },
        .header("content-encoding", nil, 400, "BadContentEncoding"),
        .header("content-encoding", "aesgcm", 400, "BadContentEncoding"),
        .header("authorization", nil, 401, "MissingAuthorization"),
        .header("authorization", "bearer x", 401, "BadAuthorization"),
        .header("authorization", "vapid", 401, "BadAuthorization"),
        .header("authorization", "vapid t=a.b.c", 401, "BadAuthorization"),
        .header("authorization", "vapid t=a.b.c,k=x,k=x", 401, "BadAuthorization"),
        .header("authorization", "vapid t=a.b.c,k=x", 403, "BadSignature"),
        FaultCase("no body, and no encoding", 201, nil) { request in
            request.body = []
            request.headers.removeAll { $0.0 == "content-encoding" }
        },
        FaultCase("4,095 bytes", 201, nil) { $0.body += [UInt8](repeating: 0, count: 4095 - $0.body.count) },
        FaultCase("4,096 bytes", 201, nil) { $0.body += [UInt8](repeating: 0, count: 4096 - $0.body.count) },
        FaultCase("4,097 bytes", 413, "PayloadTooLarge") {
            $0.body += [UInt8](repeating: 0, count: 4097 - $0.body.count)
        },
        FaultCase("300,000 bytes", 413, "PayloadTooLarge") { $0.body = [UInt8](repeating: 0, count: 300_000) },
        FaultCase("a body of one byte", 400, "BadPayload") { $0.body = [0] },
        FaultCase("a header and a tag, and nothing between", 400, "BadPayload") {
            $0.body = Array($0.body.prefix(86 + 16))
        },
        FaultCase("a header, a tag and a byte", 201, nil) { $0.body = Array($0.body.prefix(86 + 17)) },
        FaultCase("a record size below the record", 400, "BadPayload") { request in
            request.body.replaceSubrange(16..<20, with: [0, 0, 0, UInt8(request.body.count - 86 - 1)])
        },
        FaultCase("a record size of the record", 201, nil) { request in
            request.body.replaceSubrange(16..<20, with: [0, 0, 0, UInt8(request.body.count - 86)])
        },
        FaultCase("a key of another length", 400, "BadPayload") { $0.body[20] = 64 },
        FaultCase("a key that is no point", 400, "BadPayload") { $0.body[21] = 5 },
    ]

    @Test("with a fault is refused with a status and a reason", arguments: faults)
    func refuses(_ fault: FaultCase) async throws {
        try await withWebPush { fixture, connection, subscription, key in
            var request = try WebPushFixture.message(fixture, to: subscription, from: key)
            fault.change(&request)
            let response = try await connection.send(request)
            #expect(response.status == fault.status && response.reason == fault.reason)
            let entry = try #require(fixture.sandbox.requests.first)
            #expect(entry.status == fault.status && entry.reason == fault.reason)
            #expect(fixture.sandbox.notifications.count == (fault.status == 201 ? 1 : 0))
        }
    }

    @Test("needs a VAPID token that is signed, current, for this origin and with a contact")
    func vapid() async throws {
        try await withWebPush { fixture, connection, subscription, key in
            func header(
                _ audience: String? = nil, _ lifetime: Int = 60, _ subject: String? = "mailto:a@b"
            ) throws -> String {
                try WebPushFixture.authorization(
                    fixture, key, audience: audience, lifetime: lifetime, subject: subject)
            }
            let good = try header()
            let stranger = WebPushFixture.publicKey(P256.Signing.PrivateKey())
            let parts = good.dropFirst("vapid ".count).split(separator: ",")
            let cases: [(String, String?)] = [
                (good, nil), ("Vapid \(parts[1]) , \(parts[0])".replacing(" ,", with: ","), nil),
                (good.replacing(#/k=.*/#, with: "k=\(stranger)"), "BadSignature"),
                (good.replacing(#/k=.*/#, with: "k=AAAA"), "BadSignature"),
                (good.replacing("vapid t=", with: "vapid t=e30."), "BadSignature"),
                (
                    try WebPushFixture.authorization(fixture, key, header: #"{"typ":"JWT","alg":"HS256"}"#),
                    "BadSignature"
                ),
                (try header("https://example.org"), "BadAudience"),
                (try header(subscription.endpoint), "BadAudience"), (try header("https://localhost"), nil),
                (try header(nil, 0), "BadExpiration"), (try header(nil, 1), nil), (try header(nil, 86_399), nil),
                (try header(nil, 86_400), nil), (try header(nil, 86_401), "BadExpiration"),
                (try header(nil, 60, nil), "BadSubject"), (try header(nil, 60, "mailto:"), "BadSubject"),
                (try header(nil, 60, "push@example.org"), "BadSubject"),
                (try header(nil, 60, "https://example.org"), nil),
            ]
            for (authorization, reason) in cases {
                var request = try WebPushFixture.message(fixture, to: subscription, from: key)
                request.headers[4].1 = authorization
                let response = try await connection.send(request)
                #expect(response.reason == reason, "\(authorization)")
                #expect(response.status == (reason == nil ? 201 : 403))
            }
            // A verified token is remembered, but not that it was current.
            var request = try WebPushFixture.message(fixture, to: subscription, from: key)
            request.headers[4].1 = good
            fixture.clock.advance(by: 60)
            #expect(try await connection.send(request).reason == "BadExpiration")
        }
    }

    @Test("may come from one sender only, if the subscription was made for one")
    func restricted() async throws {
        try await withWebPush { fixture, connection, _, key in
            let subscription = fixture.sandbox.makeSubscription(
                applicationServerKey: WebPushFixture.publicKey(key))
            let good = try WebPushFixture.message(fixture, to: subscription, from: key)
            #expect(try await connection.send(good).status == 201)
            let other = try WebPushFixture.message(fixture, to: subscription, from: P256.Signing.PrivateKey())
            let response = try await connection.send(other)
            #expect(response.status == 403 && response.reason == "WrongKey")
        }
    }

    @Test("to a subscription that has ended is refused for good")
    func ended() async throws {
        try await withWebPush { fixture, connection, subscription, key in
            #expect(fixture.sandbox.endSubscription(id: subscription.id))
            #expect(!fixture.sandbox.endSubscription(id: "unknown"))
            let request = try WebPushFixture.message(fixture, to: subscription, from: key)
            let response = try await connection.send(request)
            #expect(response.status == 410 && response.reason == "EndedSubscription")
        }
    }

    @Test("is answered as a script says, which may name the carrier and the endpoint")
    func scripted() async throws {
        try await withWebPush { fixture, connection, subscription, key in
            let answer = SandboxAnswer(status: 429, reason: "TooMany", retryAfter: .seconds(3))
            fixture.sandbox.addRule(SandboxRule(.silence, token: "other"))
            fixture.sandbox.addRule(SandboxRule(.answer(answer), token: subscription.id, carrier: .webPush, times: 1))
            let accepted = SandboxAnswer(status: 202)
            fixture.sandbox.addRule(SandboxRule(.answer(accepted), carrier: .webPush, times: 1))
            fixture.sandbox.addRule(SandboxRule(.closeConnection, carrier: .webPush, times: 1, delivered: true))
            let request = try WebPushFixture.message(fixture, to: subscription, from: key)
            #expect(try await connection.send(fixture.push()).status == 200)
            let refused = try await connection.send(request)
            #expect(refused.status == 429 && refused.reason == "TooMany" && refused.headers["retry-after"] == "3")
            #expect(refused.headers["location"] == nil)
            let taken = try await connection.send(request)
            #expect(taken.status == 202 && taken.headers["location"] != nil)
            #expect(try await connection.send(request).ending == .closed)
            #expect(fixture.sandbox.notifications.map(\.carrier) == [.apns, .webPush, .webPush])
            #expect(fixture.sandbox.notifications.map(\.status) == [200, 202, 0])
        }
    }
}
