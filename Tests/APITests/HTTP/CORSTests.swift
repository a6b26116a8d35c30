import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

@testable import API

/// Cross-origin resource sharing: pages of other origins may read about the chain and change nothing.
@Suite("Other origins")
struct CORSTests {
    private static let origin: HTTPFields = [.origin: "https://example.org"]
    private static let closedPaths: Set = [
        "/", "/status.json", "/status/stream", "/ready", "/metrics", "/metrics/prometheus", "/v1/push/register",
        "/v1/push/update", "/v1/push/unregister", "/v1/push/status", "/v1/push/challenge", "/v1/push/wallet",
        "/v1/push/devices", "/v1/push/missed", "/v1/push/ring", "/v1/push/vapid",
    ]

    private func expectOpen(_ response: TestResponse, _ location: SourceLocation = #_sourceLocation) {
        #expect(response.headers[.accessControlAllowOrigin] == "*", sourceLocation: location)
        let exposed = response.headers[.accessControlExposeHeaders]?.lowercased()
        #expect(exposed == "x-request-id, retry-after", sourceLocation: location)
        #expect(response.headers[.xRequestID] != nil, sourceLocation: location)
    }

    private func expectClosed(_ response: TestResponse, _ location: SourceLocation = #_sourceLocation) {
        let names = response.headers.map(\.name.canonicalName).filter { $0.hasPrefix("access-control") }
        #expect(names == [], sourceLocation: location)
    }

    private func preflight(
        _ client: any TestClientProtocol, _ uri: String, for method: String?
    ) async throws -> TestResponse {
        var headers = Self.origin
        headers[.accessControlRequestMethod] = method
        headers[.accessControlRequestHeaders] = "content-type"
        return try await client.execute(uri: uri, method: .options, headers: headers)
    }

    @Test("every call is either open or closed, and those about registrations and for operators are closed")
    func everyCall() {
        #expect(APIRoutes.open.isDisjoint(with: Self.closedPaths))
        // A new call has to be put into one of the two lists.
        #expect(APIRoutes.open.union(Self.closedPaths) == Set(APIRoutes.methods.keys))
        for path in APIRoutes.methods.keys {
            let isClosed =
                ["/status", "/metrics", "/ready", "/v1/push/"].contains { path.hasPrefix($0) } && path != "/v1/push/key"
                || path == "/"
            #expect(APIRoutes.open.contains(path) != isClosed, "\(path)")
        }
    }

    // One service for all calls: each has hundreds of files open.

    @Test("an open call may be read by any page, its errors too")
    func openCalls() async throws {
        try await TestService().run { client in
            for path in APIRoutes.open.sorted() { try await expectOpen(path, client) }
            expectClosed(try await client.execute(uri: "/health", method: .get))
        }
    }

    private func expectOpen(_ path: String, _ client: any TestClientProtocol) async throws {
        // A stream, which has no end to wait for, is refused without an address.
        for uri in [path, path + "/", "/" + path, path + "?limit=0"] {
            for method in RoutingTests.methods where method != .options {
                expectOpen(try await client.execute(uri: uri, method: method, headers: Self.origin))
            }
        }
        let long = "\(path)?\(String(repeating: "a", count: 9_000))"
        let tooLong = try await client.execute(uri: long, method: .get, headers: Self.origin)
        #expect(tooLong.status == .uriTooLong)
        expectOpen(tooLong)
        guard APIRoutes.methods[path]?.contains(.post) == true else { return }
        let large = ByteBuffer(repeating: 32, count: APILimits.bodyBytes + 1)
        let tooLarge = try await client.execute(uri: path, method: .post, headers: Self.origin, body: large)
        #expect(tooLarge.status == .contentTooLarge)
        expectOpen(tooLarge)
    }

    @Test("a preflight of an open call is answered for its methods and no others")
    func openPreflights() async throws {
        try await TestService().run { client in
            for path in APIRoutes.open.sorted() { try await expectPreflight(path, client) }
        }
    }

    private func expectPreflight(_ path: String, _ client: any TestClientProtocol) async throws {
        let allowed = try #require(APIRoutes.methods[path])
        for method in RoutingTests.methods {
            let response = try await preflight(client, path, for: method.rawValue)
            guard allowed.contains(method) else {
                #expect(response.status == .methodNotAllowed, "\(method)")
                #expect(response.headers[.accessControlAllowMethods] == nil)
                continue
            }
            #expect(response.status == .noContent && response.body.readableBytes == 0)
            #expect(response.headers[.accessControlAllowOrigin] == "*")
            let methods = response.headers[.accessControlAllowMethods]?.split(separator: ", ").map(String.init)
            #expect(methods == allowed.map(\.rawValue))
            let headers = response.headers[.accessControlAllowHeaders]?.lowercased()
            #expect(headers == "content-type, accept, last-event-id")
        }
        for method in [nil, "", "get", "GET, POST"] {
            #expect(try await preflight(client, path, for: method).status == .methodNotAllowed)
        }
        let noOrigin = try await client.execute(
            uri: path, method: .options, headers: [.accessControlRequestMethod: allowed[0].rawValue])
        #expect(noOrigin.status == .methodNotAllowed)
        expectClosed(noOrigin)
    }

    @Test("a closed call says nothing to another origin, whatever is asked")
    func closedCalls() async throws {
        try await TestService().run { client in
            for path in Self.closedPaths.sorted() { try await expectClosed(path, client) }
        }
    }

    private func expectClosed(_ path: String, _ client: any TestClientProtocol) async throws {
        let allowed = try #require(APIRoutes.methods[path])
        for uri in [path, path + "/", "/" + path] {
            for method in RoutingTests.methods {
                // A stream has no end to wait for.
                if method == .get, path.hasSuffix("/stream") { continue }
                expectClosed(try await client.execute(uri: uri, method: method, headers: Self.origin))
                let refused = try await preflight(client, uri, for: method.rawValue)
                #expect(refused.status == .methodNotAllowed)
                #expect(refused.headers[.allow] == allowed.map(\.rawValue).joined(separator: ", "))
                expectClosed(refused)
            }
        }
    }

    @Test(
        "nothing that a closed call answers may be read from another origin: success, error or preflight",
        .timeLimit(.minutes(10)))
    func closedOnTheWire() async throws {
        let broken = Readiness(parts: [Readiness.Part(name: "store", isReady: false, state: "the disk is full")])
        let statuses = Mutex<Set<String>>([])
        for limit in [0, 1] {
            try await TestService(rateLimitPerMinute: limit, readiness: broken).run(.live) { client in
                let port = try #require(client.port)
                for request in Self.closedPaths.sorted().flatMap(Self.requests) {
                    let answer = try await RawConnection.exchange(request, port: port) { $0.contains("event: history") }
                    let head = answer.prefix(upTo: answer.firstRange(of: "\r\n\r\n")?.lowerBound ?? answer.endIndex)
                    #expect(head.hasPrefix("HTTP/1.1 "), "\(request.prefix(200))")
                    #expect(!head.lowercased().contains("access-control"), "\(request.prefix(200)) \(head)")
                    statuses.withLock { _ = $0.insert(String(head.dropFirst(9).prefix(3))) }
                }
            }
        }
        let expected: Set = [
            "200", "400", "403", "404", "405", "413", "414", "415", "421", "429", "431", "503",
        ]
        #expect(statuses.withLock(\.self) == expected)
    }

    /// Requests with an origin that go well or wrong in every way.
    private static func requests(to path: String) -> [String] {
        let own = "host: localhost\r\norigin: http://localhost\r\n"
        let long = String(repeating: "a", count: 9_000)
        let methods = (APIRoutes.methods[path] ?? []).map(\.rawValue)
        return methods.flatMap { method in
            [
                "\(method) \(path) HTTP/1.1\r\n\(own)",
                "\(method) \(path)?x=1 HTTP/1.1\r\n\(own)",
                "\(method) \(path)?device_token=\(token) HTTP/1.1\r\n\(own)",
                "\(method) \(path) HTTP/1.1\r\nhost: localhost\r\norigin: https://example.org\r\n",
                "\(method) \(path) HTTP/1.1\r\nhost: rebound.example\r\norigin: http://rebound.example\r\n",
                "\(method) \(path)?\(long) HTTP/1.1\r\n\(own)",
                "\(method) \(path) HTTP/1.1\r\n\(own)user-agent: \(long)\r\n",
                "\(method) \(path) HTTP/1.1\r\n\(own)content-type: application/json\r\ncontent-length: 131073\r\n",
                "OPTIONS \(path) HTTP/1.1\r\n\(own)access-control-request-method: \(method)\r\n",
                "OPTIONS \(path) HTTP/1.1\r\nhost: localhost\r\norigin: https://example.org\r\n"
                    + "access-control-request-method: \(method)\r\n",
            ].map { head in
                let body = head.contains("content-length") ? String(repeating: " ", count: 131_073) : ""
                return head + "connection: close\r\n\r\n" + body
            }
        }
    }

    @Test("a path that is not there is closed")
    func unknown() async throws {
        try await TestService().run { client in
            for uri in [
                "/nothing", "/v1", "/v1/push", "/v1/push/nothing", "/v1/push/%73tatus", "/v1/messages",
                "/v1/messages/a/b", "/v1/activity/x", "/handshakes/by-sender/x", "/Health",
                "/health/../v1/push/status", "/v1/push/register;/health",
            ] {
                for method in [HTTPRequest.Method.get, .post, .delete] {
                    let response = try await client.execute(uri: uri, method: method, headers: Self.origin)
                    #expect(response.status == .notFound)
                    expectClosed(response)
                    let refused = try await preflight(client, uri, for: method.rawValue)
                    #expect(refused.status == .notFound)
                    expectClosed(refused)
                }
            }
        }
    }

    @Test("a page reads one message, and a stream's refusal")
    func examples() async throws {
        try await TestService().run { client in
            let id = String(repeating: "ab", count: 32)
            let message = try await client.execute(uri: "/v1/messages/\(id)", method: .get, headers: Self.origin)
            #expect(message.status == .notFound)
            expectOpen(message)
            #expect(try await preflight(client, "/v1/messages/\(id)", for: "GET").status == .noContent)
            let stream = try await client.execute(uri: "/v1/activity/stream", method: .get, headers: Self.origin)
            #expect(stream.status == .badRequest)
            expectOpen(stream)
        }
    }
}
