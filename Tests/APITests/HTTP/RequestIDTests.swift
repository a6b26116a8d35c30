import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import RecordedLogs
import Testing

@testable import API

@Suite("Request ids")
struct RequestIDTests {
    private static func isMade(_ id: String?) -> Bool { id?.wholeMatch(of: /[0-9a-f]{32}/) != nil }

    @Test(
        "every answer has one: the request's if it is short and plain, else a new one",
        arguments: [
            ("a", true), ("A-z_0.9", true), (String(repeating: "a", count: 39), true),
            (String(repeating: "a", count: 40), true), (String(repeating: "a", count: 41), false),
            (String(repeating: "0123456789abcdef", count: 4), false), ("", false), ("a b", false), ("a/b", false),
            ("kaspa:qp", false), ("é", false), ("a\"", false),
        ])
    func given(id: String, isTaken: Bool) async throws {
        try await TestService().run { client in
            for (method, uri) in [
                (HTTPRequest.Method.get, "/health"), (.head, "/health"), (.get, "/nothing"), (.post, "/health"),
                (.post, "/v1/push/register"), (.get, "/"), (.get, "/health?" + String(repeating: "a", count: 9_000)),
            ] {
                let answer = try await client.execute(uri: uri, method: method, headers: [.xRequestID: id])
                let named = answer.headers[values: .xRequestID]
                #expect(named.count == 1, "\(uri)")
                if isTaken { #expect(named == [id], "\(uri)") } else { #expect(Self.isMade(named.first), "\(uri)") }
            }
        }
    }

    @Test("two requests do not share one")
    func different() async throws {
        try await TestService().run { client in
            let one = try await client.execute(uri: "/health", method: .get).headers[.xRequestID]
            let other = try await client.execute(uri: "/health", method: .get).headers[.xRequestID]
            #expect(Self.isMade(one) && Self.isMade(other) && one != other)
        }
    }

    @Test("answers that no route gives have one too", .timeLimit(.minutes(5)))
    func withoutRoute() async throws {
        try await TestService(bodyTimeout: .milliseconds(200)).run(.live) { client in
            let port = try #require(client.port)
            for (status, request) in [
                (400, "GET\r\n\r\n"),
                (
                    408,
                    "POST /v1/push/register HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{"
                ),
                (431, "GET / HTTP/1.1\r\nhost: localhost\r\nx: \(String(repeating: "a", count: 70_000))\r\n\r\n"),
            ] {
                let answer = try await RawConnection.exchange(request, port: port) { $0.contains("\r\n\r\n") }
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(100))")
                let ids = answer.lowercased().matches(of: /\r\nx-request-id: ([0-9a-f]{32})\r\n/)
                #expect(ids.count == 1, "\(answer.prefix(400))")
            }
        }
    }

    @Test("the log lines of a request have its id")
    func logged() async throws {
        let log = RecordedLogs()
        let service = try TestService(logger: log.logger)
        try await service.damage(token)
        try await service.run { client in
            for id in ["one", "two"] {
                let answer = try await client.send(
                    .post, "/v1/push/register", try registration(), headers: [.xRequestID: id])
                #expect(answer.status == .internalServerError && answer.headers[.xRequestID] == id)
            }
        }
        let failures = log.events.filter { $0.message == "api.registration.store_failed" }
        #expect(failures.map { $0.metadata["request.id"] } == ["one", "two"])
    }
}
