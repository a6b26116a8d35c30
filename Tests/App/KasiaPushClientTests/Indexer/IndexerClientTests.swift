import Foundation
import KasiaPushClient
import KasiaPushCore
import Testing

@Suite struct IndexerClientTests {
    @Test(
        "A service has an address of http or https",
        arguments: [
            "http://10.0.0.1:8080", "https://push.example", "https://push.example/", "https://push.example/kasia/",
            "HTTPS://push.example",
        ])
    func addresses(_ text: String) async throws {
        let url = try await requested(at: text) { try await $0.health() }
        let root = text.hasSuffix("/") ? String(text.dropLast()) : text
        #expect(url.absoluteString == root + "/health")
    }

    @Test(
        "Other addresses are refused",
        arguments: [
            "ftp://push.example", "push.example", "/v1", "https://", "https://user@push.example",
            "https://user:word@push.example", "https://push.example?a=b", "https://push.example#here", "file:///etc",
        ])
    func otherAddresses(_ text: String) throws {
        let url = try #require(URL(string: text))
        #expect(IndexerClient(baseURL: url, transport: ScriptedTransport()) == nil)
    }

    @Test("What stands in a query or a path is escaped")
    func escapes() async throws {
        let odd = "a+b&c=d e/ä?#%\u{0}"
        let escaped = "a%2Bb%26c%3Dd%20e%2F%C3%A4%3F%23%25%00"
        let query = try await requested { _ = try await $0.broadcasts(in: odd) }
        #expect(query.absoluteString == "https://push.example/broadcasts/by-channel?channel=\(escaped)")
        let path = try await requested { _ = try await $0.message(odd) }
        #expect(path.absoluteString == "https://push.example/v1/messages/\(escaped)")
        let token = try PushToken.webPush(endpoint: "https://push.example/a?b=c&d")
        let status = try await requested { _ = try await $0.status(of: token, auth: nil) }
        #expect(
            status.absoluteString
                == "https://push.example/v1/push/status?device_token=https%3A%2F%2Fpush.example%2Fa%3Fb%3Dc%26d")
    }

    @Test("A refusal has the service's words")
    func refusal() async throws {
        let error = await failure(
            401, ["X-Request-ID": "r-1", "retry-after": " 7 "],
            #"{"error":"the signature is wrong","code":"wrong_signature","expected_text":"domain=…","new":[1]}"#)
        #expect(
            error
                == IndexerError(
                    .refused, message: "the signature is wrong", status: 401, code: .wrongSignature,
                    expectedText: "domain=…", retryAfter: .seconds(7), requestID: "r-1"))
        #expect(error?.description == "401 wrong_signature: the signature is wrong")
    }

    @Test(
        "Retry-After is read in seconds, a day at most",
        arguments: [
            ("0", Duration.zero), ("1", .seconds(1)), ("86399", .seconds(86_399)), ("86400", .seconds(86_400)),
            ("86401", .seconds(86_400)), ("99999999999999999999", .seconds(86_400)), ("", nil), ("-1", nil),
            ("1.5", nil),
            ("Wed, 21 Oct 2026 07:28:00 GMT", nil),
        ])
    func retryAfter(_ text: String, _ wait: Duration?) async {
        #expect(await failure(429, ["Retry-After": text])?.retryAfter == wait)
    }

    @Test(
        "An error needs no body that can be read",
        arguments: [
            (301, IndexerError.Kind.unexpectedAnswer), (204, .unexpectedAnswer), (400, .refused), (404, .refused),
            (502, .refused),
        ])
    func errorWithoutBody(_ status: Int, _ kind: IndexerError.Kind) async {
        for body in ["", "<html>", "{}", #"{"error":1}"#, String(repeating: "[", count: 100_000)] {
            let error = await failure(status, [:], body)
            #expect(error?.kind == kind)
            #expect(error?.status == status)
            #expect(error?.code == nil)
        }
    }

    @Test(
        "A 200 of somebody else is no confirmation",
        arguments: ["<html>Welcome to this hotel</html>", "{}", #"{"status":"no"}"#, "[]", ""])
    func captivePortal(_ body: String) async throws {
        let client = try client(ScriptedTransport(200, [:], body))
        let token = try PushToken.apns([UInt8](repeating: 1, count: 32))
        let request = RegistrationRequest(token: token, platform: .ios)
        for call in [
            { try await client.unregister(token, auth: nil) }, { _ = try await client.register(request) },
            { _ = try await client.update(request) }, { try await client.health() },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: IndexerError.self) { try await call() }
            #expect(error?.kind == .unexpectedAnswer)
            #expect(error?.status == 200)
        }
    }

    @Test("Members and words that a newer service has are taken")
    func newerService() async throws {
        let body = #"""
            {"items":[{"seq":1,"type":"dream","tx_id":"00","sender":"","timestamp":18446744073709551615,"more":{}}],
            "latest_seq":1,"oldest_seq":1,"other":null}
            """#
        let client = try client(ScriptedTransport(200, [:], body))
        let token = try PushToken.apns([UInt8](repeating: 1, count: 32))
        let item = try await client.missed(of: token, after: nil, limit: nil, auth: nil).items.first
        #expect(item?.kind.rawValue == "dream")
        #expect(item?.timestamp == .max)
        let message = try await self.client(ScriptedTransport(200, [:], #"{"kind":"dream","x":1}"#)).message("00")
        #expect(message == .other(kind: "dream"))
        let status = #"{"registered":true,"watched_addresses":[],"last_seen":1,"platform":"watch"}"#
        let registered = try await self.client(ScriptedTransport(200, [:], status)).status(of: token, auth: nil)
        #expect(registered.platform == nil && registered.platformName == "watch")
    }

    @Test("Deeply nested JSON is not decoded", arguments: [(31, true), (32, true), (33, false)])
    func nestedJSON(_ depth: Int, _ isRead: Bool) async throws {
        let inner = String(repeating: "[", count: depth - 1) + #""]][[\"[""# + String(repeating: "]", count: depth - 1)
        let client = try client(ScriptedTransport(200, [:], #"{"status":"ok","x":\#(inner)}"#))
        if isRead {
            try await client.health()
        } else {
            await #expect(throws: IndexerError.self) { try await client.health() }
        }
    }

    @Test("A service that is not ready says what is missing")
    func notReady() async throws {
        let body = #"{"ready":false,"parts":{"node":{"ready":false,"state":"no node is followed"}}}"#
        let readiness = try await client(ScriptedTransport(503, [:], body)).ready()
        #expect(!readiness.isReady)
        #expect(readiness.parts["node"]?.state == "no node is followed")
    }

    @Test(
        "Network trouble is told from refusals",
        arguments: [
            (TransportError.timedOut, IndexerError.Kind.timedOut), (.unreachable("no route"), .unreachable),
            (.tooLong(5), .unexpectedAnswer), (.cancelled, .cancelled),
        ])
    func networkTrouble(_ error: TransportError, _ kind: IndexerError.Kind) async throws {
        let client = try client(ScriptedTransport(error))
        for call in [{ try await client.health() }, { _ = try await client.activityStream(of: "kaspa:q") }]
            as [() async throws -> Void]
        {
            let thrown = await #expect(throws: IndexerError.self) { try await call() }
            #expect(thrown?.kind == kind)
            #expect(thrown?.message == error.description)
            #expect(thrown?.isTemporary == (kind != .cancelled))
        }
    }

    @Test(
        "What may succeed later is temporary",
        arguments: [(400, false), (401, false), (404, false), (408, true), (429, true), (500, true), (503, true)])
    func temporary(_ status: Int, _ isTemporary: Bool) async {
        #expect(await failure(status)?.isTemporary == isTemporary)
    }

    @Test("A stream that is refused or is none is an error")
    func refusedStream() async throws {
        var transport = ScriptedTransport()
        transport.onStream = { _ in
            TransportStream(
                events: #"{"error":"all 8 streams are taken","code":"unavailable"}"#,
                headers: ["Retry-After": "10"], status: 503)
        }
        var client = try client(transport)
        let refusal = await #expect(throws: IndexerError.self) { _ = try await client.serviceStatusStream() }
        #expect(refusal?.code == .unavailable && refusal?.retryAfter == .seconds(10))
        transport.onStream = { _ in TransportStream(events: "hello", headers: ["Content-Type": "text/html"]) }
        client = try self.client(transport)
        let page = await #expect(throws: IndexerError.self) { _ = try await client.serviceStatusStream() }
        #expect(page?.kind == .unexpectedAnswer)
    }

    @Test("A stream's events come in order, unknown ones as positions")
    func streamEvents() async throws {
        var transport = ScriptedTransport()
        transport.onStream = { _ in
            TransportStream(
                events: "id: 1-aa\n\n:\n\nid: 2-bb\nevent: removed\ndata: {\"id\":\"00\"}\n\n"
                    + "id: 3-cc\nevent: dream\ndata: 1\n\nid: 4-dd\nevent: reset\ndata: {}\n\nid: 5-ee\nevent: x")
        }
        let events = try await client(transport).activityStream(of: "kaspa:q")
        var read: [ActivityEvent] = []
        for try await event in events { read.append(event) }
        #expect(
            read == [
                ActivityEvent(id: "1-aa", change: .position), ActivityEvent(id: nil, change: .heartbeat),
                ActivityEvent(id: "2-bb", change: .removed(id: "00")), ActivityEvent(id: "3-cc", change: .position),
                ActivityEvent(id: "4-dd", change: .reset),
            ])
    }

    @Test("Requests and subscriptions print nothing secret")
    func secrets() throws {
        let url = try #require(URL(string: "https://push.example/v1/push/status?device_token=secret"))
        let request = TransportRequest(
            method: "GET", url: url, headers: ["A": "secret"], body: Data("secret".utf8), timeout: .zero,
            maximumBytes: 1)
        let keys = WebPushSubscription.Keys(p256dh: "secret", auth: "secret")
        let subscription = WebPushSubscription(endpoint: "https://secret.example", keys: keys)
        for value in [request, keys, subscription] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value) \(String(reflecting: value)) \(dumped)".contains("secret"))
        }
    }

    private func client(_ transport: any Transport, at text: String = "https://push.example") throws -> IndexerClient {
        let url = try #require(URL(string: text))
        return try #require(IndexerClient(baseURL: url, transport: transport))
    }

    /// The address that a call asks for.
    private func requested(
        at text: String = "https://push.example", _ call: (IndexerClient) async throws -> Void
    ) async throws -> URL {
        let (urls, sender) = AsyncStream.makeStream(of: URL.self)
        var transport = ScriptedTransport()
        transport.onAnswer = { request in
            sender.yield(request.url)
            return TransportAnswer(status: 404)
        }
        do {
            try await call(client(transport, at: text))
        } catch is IndexerError {}
        var iterator = urls.makeAsyncIterator()
        return try #require(await iterator.next())
    }

    /// The error that an answer of any status but 200 makes.
    private func failure(_ status: Int, _ headers: [String: String] = [:], _ body: String = "") async -> IndexerError? {
        await #expect(throws: IndexerError.self) {
            try await client(ScriptedTransport(status, headers, body)).health()
        }
    }
}
