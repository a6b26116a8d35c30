import Foundation
import HTTPTypes
import HummingbirdTesting
import KasiaProtocol
import Kaspa
import Logging
import Store
import Testing

@testable import API

/// Every call is made, and every answer held against /openapi.json by a validator of others.
///
/// Skipped, and said so, where there is none.
@Suite(
    "Answers and /openapi.json", .timeLimit(.minutes(10)),
    .enabled(if: AnswerValidator.python != nil, "python3-jsonschema is not installed: deploy/install-deps.sh --tests"))
struct AnswerTests {
    /// Calls with a body, and a body that is right but for a signature.
    private static let calls: [(HTTPRequest.Method, String)] = [
        (.post, "/v1/push/register"), (.put, "/v1/push/update"), (.post, "/v1/push/update"),
        (.delete, "/v1/push/unregister"), (.post, "/v1/push/unregister"), (.post, "/v1/push/status"),
        (.post, "/v1/push/missed"), (.delete, "/v1/push/wallet"), (.post, "/v1/push/devices"),
        (.post, "/v1/push/ring"),
    ]
    /// Calls that read and have a body.
    private static let reads: [(HTTPRequest.Method, String)] = [
        (.post, "/v1/activity/refresh"), (.post, "/group-messages/by-blinded-group-ids"),
        (.post, "/group-messages/since"), (.post, "/group-control/since"),
    ]
    private static let lists = [
        "/handshakes/by-sender", "/handshakes/by-receiver", "/payments/by-sender", "/payments/by-receiver",
        "/contextual-messages/by-sender", "/self-stash/by-owner", "/group-messages/by-blinded-group-id",
        "/group-control/by-sender", "/group-control/by-recipient", "/broadcasts/by-channel",
        "/contextual-messages/by-inbox",
    ]
    /// Other calls that read what the apps wrote, each by a parameter of its own.
    private static let others = ["/get-broadcasts", "/contextual-messages/by-txid"]
    private static let readiness = Readiness(parts: [
        Readiness.Part(
            name: "node", isReady: true, state: "ok",
            nodes: [
                Readiness.Node(url: "http://127.0.0.1:16110", state: "followed", reason: nil),
                Readiness.Node(url: "http://127.0.0.1:16111", state: "left", reason: "it is behind"),
            ]), Readiness.Part(name: "apns", isReady: true, state: "not configured"),
    ])

    private let answers = AnswerCollection()

    private static func bytes(_ object: [String: Any]) throws -> [UInt8] {
        [UInt8](try JSONSerialization.data(withJSONObject: object))
    }

    /// `METHOD PATH STATUS` of all that the document tells.
    private static func documented() throws -> Set<String> {
        let document = try #require(
            JSONSerialization.jsonObject(with: Data(OpenAPIDocument.json.utf8)) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        var found: Set<String> = []
        for (path, methods) in paths {
            for (method, operation) in methods {
                let responses = try #require(operation["responses"] as? [String: Any])
                for status in responses.keys { found.insert("\(method.uppercased()) \(path) \(status)") }
            }
        }
        return found
    }

    @Test("every call answers as the document says, with each status that can be provoked")
    func answersAreDocumented() async throws {
        try await askReads()
        try await askRegistrations()
        try await askWithMistakes()
        try await askTooMuch()
        try await askTooOften()
        try await askWithoutDisk()
        try await askForStreams()
        #expect(try AnswerValidator.complaints(of: answers.answers) == [])

        let provoked = Set(answers.answers.map { "\($0.method) \($0.path) \($0.status)" })
        let documented = try Self.documented()
        #expect(provoked.subtracting(documented).isEmpty)
        // A fault of the store at the right moment is made for some calls only.
        let rare = [" 500", " 503"]
        let missing = documented.subtracting(provoked).filter { call in
            // Reading too much takes a clock of its own: `ReadsTests` has one.
            !rare.contains(where: call.hasSuffix) && !(call.hasSuffix(" 429") && !call.contains("/v1/push/"))
        }
        #expect(missing.isEmpty, "never provoked: \(missing.sorted())")
    }

    @Test("the validator notices what is not as the document says")
    func brokenAnswers() async throws {
        try await askReads()
        func sample(_ path: String) throws -> CollectedAnswer {
            try #require(answers.answers.first { $0.path == path && $0.status == 200 })
        }
        func changed(_ path: String, _ change: (inout CollectedAnswer) -> Void) throws -> CollectedAnswer {
            var answer = try sample(path)
            change(&answer)
            return answer
        }
        func replaced(_ path: String, _ old: String, _ new: String) throws -> CollectedAnswer {
            let answer = try changed(path) { $0.body = $0.body.replacing(old, with: new, maxReplacements: 1) }
            #expect(try answer.body != sample(path).body, "\(old) stands in no answer of \(path)")
            return answer
        }
        let broken = try [
            changed("/health") { $0.status = 201 }, changed("/health") { $0.content_type = "text/plain" },
            changed("/health") { $0.body = "{}" }, changed("/health") { $0.body = "[]" },
            changed("/health") { $0.body = "{" }, changed("/health") { $0.path = "/healthy" },
            changed("/health") { $0.method = "POST" }, replaced("/health", "{", #"{"more":1,"#),
            replaced("/handshakes/by-sender", #""receiver":"#, #""recipient":"#),
            replaced("/handshakes/by-sender", "[{", #"[{"more":null,"#),
            replaced("/payments/by-receiver", #""amount":1"#, #""amount":-1"#),
            replaced("/payments/by-receiver", #""amount":125000000"#, #""amount":"125000000""#),
            replaced("/v1/messages/{tx_id}", #""kind":""#, #""kind":"un"#),
            replaced("/v1/messages/{tx_id}", "{", #"{"more":{},"#),
            replaced("/group-control/by-recipient", #""recipient_key":"#, #""key":"#),
            replaced("/get-broadcasts", #""hasMore":false"#, #""hasMore":"no""#),
            replaced("/group-messages/since", #""latestBlockTime":"#, #""latest":"#),
            replaced("/v1/push/missed", #""oldest_seq""#, #""oldest""#),
            replaced("/v1/push/status", #""has_voip_token":false"#, #""has_voip_token":"no""#),
            replaced("/v1/push/status", #""aliases":[]"#, #""voip_token":"00""#),
            replaced("/ready", #""state":"ok""#, #""state":"ok","more":1"#),
            replaced("/status.json", #""deliveries":["#, #""deliveries":[{"outcome":"dead"},"#),
            replaced("/status.json", #""resident_bytes":"#, #""resident":"#),
            changed("/v1/push/status") {
                $0.method = "POST"
                $0.status = 429
                $0.body = #"{"error":"wait"}"#
            },
        ].enumerated().map { index, answer in
            var answer = answer
            answer.call = "broken \(index)"
            return answer
        }
        let complaints = try AnswerValidator.complaints(of: broken)
        for answer in broken {
            #expect(complaints.contains { $0.hasPrefix("\(answer.call):") }, "\(answer) was not noticed")
        }
    }

    // MARK: What is asked

    private func service(_ mode: APIConfiguration.AuthenticationMode = .mixed) async throws -> TestService {
        let service = try await MissedTests.service(
            queuedAt: [1_704_067_200_000], mode: mode, readiness: Self.readiness, metrics: TestMetrics.registry,
            ringing: SilentSender())
        let messages = try MessageTests()
        let pending = try messages.operation(9, .handshake, "hs:x", isAccepted: false)
        try await messages.record(try messages.everyKind() + [messages.inbox(), pending], in: service)
        service.events.note(
            level: .error, label: "kasia.push", message: "push.sending.paused", metadata: ["reason": "BadTopic"], at: 7)
        service.clock.value += 10_000
        await service.board.sample()
        return service
    }

    private func askReads() async throws {
        let answers = answers
        let messages = try MessageTests()
        let key = try #require(Hex.decode(MessageTests.key))
        let recipient = try #require(Address(prefix: .kaspa, version: .schnorr, payload: key))
        let queries = [
            "address=\(messages.alice)", "address=\(messages.bob)", "address=\(messages.alice)",
            "address=\(messages.bob)", "address=\(messages.alice)", "owner=\(messages.alice)",
            "blinded_group_id=\(MessageTests.group)", "address=\(messages.alice)", "address=\(recipient)",
            "channel=news", "tag=\(MessageTests.tag)",
        ]
        try await service().run { client in
            for path in [
                "/health", "/ready", "/metrics", "/metrics/prometheus", "/openapi.json", "/", "/docs", "/guide",
                "/status.json",
            ] { try await answers.ask(client, .get, path, expecting: 200) }
            for (path, query) in zip(Self.lists, queries) {
                let answer = try await answers.ask(client, .get, path, uri: "\(path)?\(query)", expecting: 200)
                #expect(answer.text.hasPrefix("[{"), "\(path)?\(query)")
            }
            for (path, query) in zip(Self.others, ["channel=news", "tx_id=\(try MessageTests.id(3))"]) {
                let answer = try await answers.ask(client, .get, path, uri: "\(path)?\(query)", expecting: 200)
                #expect(answer.text.contains(#""news""#) || answer.text.contains(#""alias""#))
            }
            for address in [messages.alice, messages.bob] {
                let uri = "/v1/activity?address=\(address)&include=transfers"
                let answer = try await answers.ask(client, .get, "/v1/activity", uri: uri, expecting: 200)
                #expect(answer.text.contains(#""items":[{"#))
            }
            let ids = try [1, 9, 77].map { try MessageTests.id($0).description }
            let (alice, group) = (messages.alice.description, MessageTests.group)
            let bodies: [[String: Any]] = [
                ["ids": ids], ["queries": [["blindedGroupId": group], ["blindedGroupId": MessageTests.key]]],
                ["blindedGroupIds": [group]], ["senders": [alice], "recipient": alice],
            ]
            for ((method, path), body) in zip(Self.reads, bodies) {
                let answer = try await answers.ask(client, method, path, body: try Self.bytes(body), expecting: 200)
                #expect(answer.text.contains(":[{"), "\(path): \(answer.text)")
            }
            for number in 1...9 {
                try await answers.ask(
                    client, .get, "/v1/messages/{tx_id}", uri: "/v1/messages/\(try MessageTests.id(number))",
                    expecting: 200)
            }
            for path in ["/v1/push/status", "/v1/push/missed"] {
                let uri = "\(path)?device_token=\(MissedTests.token)"
                try await answers.ask(client, .get, path, uri: uri, expecting: 200)
                try await answers.ask(
                    client, .post, path, body: try Self.bytes(["device_token": MissedTests.token]), expecting: 200)
            }
        }
        try await MissedTests.everyKind().run { client in
            let uri = "/v1/push/missed?device_token=\(MissedTests.token)"
            let answer = try await answers.ask(client, .get, "/v1/push/missed", uri: uri, expecting: 200)
            #expect(answer.text.contains(#""inbox""#) && answer.text.contains(#""address""#))
        }
        try await TestService(
            readiness: Readiness(parts: [Readiness.Part(name: "store", isReady: false, state: "the disk is full")])
        ).run { client in
            try await answers.ask(client, .get, "/ready", expecting: 503)
        }
    }

    private func askRegistrations() async throws {
        let answers = answers
        let wallet = try TestWallet("owner")
        try await service().run { client in
            for method in [HTTPRequest.Method.get, .post] {
                try await answers.ask(client, method, "/v1/push/challenge", expecting: 200)
            }
            for (method, path) in Self.calls {
                let isOfTheWallet = path.hasSuffix("wallet") || path.hasSuffix("devices")
                if path.hasSuffix("missed") || path.hasSuffix("ring") { continue }
                let body =
                    isOfTheWallet
                    ? try await client.challenged(wallet, method, path).body()
                    : path.hasSuffix("register") || path.hasSuffix("update")
                        ? try registration() : ["device_token": token]
                try await answers.ask(client, method, path, body: try Self.bytes(body), expecting: 200)
            }
            for path in ["/v1/push/vapid", "/v1/push/key"] {
                try await answers.ask(client, .get, path, expecting: 200)
            }
            for changes in [
                ["device_token": fcmToken, "platform": "android"],
                ["device_token": nil, "platform": "web", "subscription": TestSubscription().json],
            ] as [[String: Any?]] {
                let body = try Self.bytes(try registration(changes))
                try await answers.ask(client, .post, "/v1/push/register", body: body, expecting: 200)
            }
            for token in [fcmToken, TestSubscription().endpoint] {
                try await answers.ask(
                    client, .get, "/v1/push/status", uri: "/v1/push/status?device_token=\(token)", expecting: 200)
            }
            let warned = try await answers.ask(
                client, .post, "/v1/push/register",
                body: try Self.bytes(try registration(["aliases": [String(repeating: "61", count: 12)]])),
                expecting: 200)
            #expect(warned.text.contains(#""warnings":["#))
            // A wallet with a device, for the list and its end.
            expectDone(try await client.registerSigned(wallet))
            for (method, path) in [(HTTPRequest.Method.post, "/v1/push/devices"), (.delete, "/v1/push/wallet")] {
                let body = try await client.challenged(wallet, method, path).body()
                let answer = try await answers.ask(client, method, path, body: try Self.bytes(body), expecting: 200)
                #expect(answer.text.contains("device_token_suffix") || answer.text.contains(#""removed":1"#))
            }
            try await answers.ask(
                client, .get, "/v1/push/status", uri: "/v1/push/status?device_token=\(token)", expecting: 200)
            for isBound in [false, true] {
                if isBound { expectDone(try await client.registerSigned(wallet)) }
                var request = try await client.challenged(wallet, .post, "/v1/push/ring")
                (request.primary, request.signsPrimary) = (wallet.address.description, true)
                var body = try request.body()
                body["to_address"] = wallet.address.description
                body["call_id"] = "0f8fad5b-d9cb-469f-a165-70867728950e"
                body["kind"] = "invite"
                try await answers.ask(
                    client, .post, "/v1/push/ring", body: try Self.bytes(body), expecting: isBound ? 200 : 403)
            }
        }
    }

    /// 400, 401, 404, 415.
    private func askWithMistakes() async throws {
        let answers = answers
        try await service().run { client in
            for (method, path) in Self.calls + Self.reads {
                try await answers.ask(client, method, path, body: Array("{}x".utf8), expecting: 400)
                try await answers.ask(
                    client, method, path, headers: [.contentType: "text/plain"], body: Array("{}".utf8), expecting: 415)
            }
            for method in [HTTPRequest.Method.get, .post] {
                let path = "/v1/push/challenge"
                try await answers.ask(client, method, path, uri: path + "?x=1", expecting: 400)
            }
            let reads = [
                "/v1/push/status", "/v1/push/missed", "/v1/push/vapid", "/v1/push/key", "/v1/activity",
                "/v1/activity/stream",
            ]
            for path in Self.lists + Self.others + reads {
                try await answers.ask(client, .get, path, uri: path + "?limit=0", expecting: 400)
            }
            let message = "/v1/messages/{tx_id}"
            try await answers.ask(client, .get, message, uri: "/v1/messages/xyz", expecting: 400)
            try await answers.ask(
                client, .get, message, uri: "/v1/messages/\(try MessageTests.id(77))", expecting: 404)
            let byTransaction = "/contextual-messages/by-txid"
            try await answers.ask(
                client, .get, byTransaction, uri: "\(byTransaction)?tx_id=\(try MessageTests.id(1))", expecting: 404)
            let missed = "/v1/push/missed"
            try await answers.ask(client, .get, missed, uri: "\(missed)?device_token=\(token)", expecting: 404)
            try await answers.ask(client, .post, missed, body: try Self.bytes(["device_token": token]), expecting: 404)
        }
        try await TestService(carriers: [.apns], vapidPublicKey: nil, signingKey: nil).run { client in
            for path in ["/v1/push/vapid", "/v1/push/key"] {
                try await answers.ask(client, .get, path, expecting: 404)
            }
            let body = try Self.bytes(try registration(["device_token": fcmToken, "platform": "android"]))
            let answer = try await answers.ask(client, .post, "/v1/push/register", body: body, expecting: 400)
            #expect(answer.text.contains("carrier_not_configured"))
        }
        try await service(.strict).run { client in
            for (method, path) in Self.calls {
                try await answers.ask(client, method, path, body: try Self.bytes(try registration()), expecting: 401)
            }
            for path in ["/v1/push/status", "/v1/push/missed"] {
                try await answers.ask(client, .get, path, uri: "\(path)?device_token=\(token)", expecting: 401)
            }
        }
    }

    /// 408, 413, 414, 431.
    private func askTooMuch() async throws {
        let answers = answers
        let documented = try Self.documented().filter { $0.hasSuffix(" 414") }.map { $0.split(separator: " ") }
        try await TestService().run { client in
            for call in documented {
                let method = try #require(HTTPRequest.Method(String(call[0])))
                let path = String(call[1])
                let long = String(repeating: "a", count: 9_000)
                try await answers.ask(client, method, path, uri: "\(path)?\(long)", expecting: 414)
                try await answers.ask(client, method, path, headers: [.userAgent: long], expecting: 431)
            }
            for (calls, most) in [(Self.calls, 131_072), (Self.reads, 65_536)] {
                for (method, path) in calls {
                    let body = [UInt8](repeating: 32, count: most + 1)
                    try await answers.ask(client, method, path, body: body, expecting: 413)
                }
            }
        }
        try await TestService(bodyTimeout: .milliseconds(200)).run(.live) { client in
            let port = try #require(client.port)
            for (method, path) in Self.calls + Self.reads {
                let answer = try await RawConnection.exchange(
                    "\(method.rawValue) \(path) HTTP/1.1\r\nhost: localhost\r\n"
                        + "content-type: application/json\r\ncontent-length: 100\r\n\r\n{", port: port)
                #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(answer)")
                try answers.add(method, path, wire: answer)
            }
        }
    }

    /// 429.
    private func askTooOften() async throws {
        let answers = answers
        try await TestService(rateLimitPerMinute: 1).run(.live) { client in
            _ = try await client.register()
            for (method, path) in Self.calls {
                try await answers.ask(client, method, path, body: try Self.bytes(try registration()), expecting: 429)
            }
            for _ in 0..<RegistrationRateLimits.attemptsPerChange {
                _ = try await client.execute(uri: "/v1/push/challenge", method: .get)
            }
            for method in [HTTPRequest.Method.get, .post] {
                try await answers.ask(client, method, "/v1/push/challenge", expecting: 429)
            }
        }
        // Each look at the clock takes eight seconds, and so does a read.
        try await TestService(rateLimitPerMinute: 60, tick: .seconds(8)).run { client in
            for status in [404, 429] {
                try await answers.ask(
                    client, .get, "/v1/push/missed", uri: "/v1/push/missed?device_token=\(token)", expecting: status)
            }
        }
    }

    /// 503 and 500, where a call writes or reads a device's row.
    private func askWithoutDisk() async throws {
        let answers = answers
        let failing = StoreConditions(before: { (step) throws(StoreError) in
            if step == .sync { throw StoreError(.inputOutput, "sync: IO error: No space left on device") }
        })
        try await TestService(conditions: failing).run { client in
            for (method, path) in Self.calls.prefix(5) {
                try await answers.ask(client, method, path, body: try Self.bytes(try registration()), expecting: 503)
            }
        }
        let damaged = try TestService()
        try await damaged.damage(token)
        try await damaged.run { client in
            for (method, path) in Self.calls.prefix(6) {
                try await answers.ask(client, method, path, body: try Self.bytes(try registration()), expecting: 500)
            }
            try await answers.ask(
                client, .get, "/v1/push/status", uri: "/v1/push/status?device_token=\(token)", expecting: 500)
        }
    }

    private func askForStreams() async throws {
        let answers = answers
        let path = "/status/stream"
        let request = "GET \(path) HTTP/1.1\r\nhost: localhost\r\n\r\n"
        try await service().run(.live) { client in
            let port = try #require(client.port)
            let stream = try await RawConnection.exchange(request, port: port) { $0.contains("event: status") }
            try answers.add(.get, path, wire: stream)
        }
        // Another service: in this one no stream of the above is still about to end.
        try await service().run(.live) { client in
            let port = try #require(client.port)
            let full = try await RawConnection.holdAll(APILimits.statusStreams, request, port: port) {
                try await RawConnection.exchange(request, port: port) { $0.contains("}") }
            }
            #expect(full.hasPrefix("HTTP/1.1 503 "))
            try answers.add(.get, path, wire: full)
        }
        let activity = "/v1/activity/stream"
        let follow = "GET \(activity)?address=\(try addresses(1)[0]) HTTP/1.1\r\nhost: localhost\r\n\r\n"
        try await TestService(maximumStreams: 1).run(.live) { client in
            let port = try #require(client.port)
            let stream = try await RawConnection.hold(follow, port: port) {
                let full = try await RawConnection.exchange(follow, port: port) { $0.contains("}") }
                #expect(full.hasPrefix("HTTP/1.1 503 "))
                try answers.add(.get, activity, wire: full)
            }
            try answers.add(.get, activity, wire: stream)
        }
    }
}
