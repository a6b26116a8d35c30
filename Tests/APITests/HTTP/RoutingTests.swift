import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import API

@Suite("Routing")
struct RoutingTests {
    static let methods =
        [HTTPRequest.Method("PROPFIND")].compactMap(\.self) + [
            .get, .head, .post, .put, .delete, .patch, .options, .trace, .connect,
        ]

    @Test("each path takes its methods and no others, and says which", arguments: APIRoutes.methods.keys.sorted())
    func methods(path: String) async throws {
        let allowed = try #require(APIRoutes.methods[path])
        try await TestService().run { client in
            for method in Self.methods {
                // A stream has no end to wait for.
                if method == .get, path.hasSuffix("/stream") { continue }
                for uri in [path, path + "/", "/" + path] {
                    let response = try await client.execute(uri: uri, method: method)
                    if allowed.contains(method) {
                        #expect(
                            response.status != .notFound && response.status != .methodNotAllowed, "\(method) \(uri)")
                        #expect(response.headers[.allow] == nil)
                    } else {
                        #expect(response.status == .methodNotAllowed, "\(method) \(uri)")
                        #expect(
                            response.headers[.allow] == allowed.map(\.rawValue).joined(separator: ", "),
                            "\(method) \(uri)")
                        if method != .head { #expect(try response.error().contains(allowed[0].rawValue)) }
                    }
                    if method == .head { #expect(response.body.readableBytes == 0) }
                }
            }
        }
    }

    @Test("/openapi.json describes exactly the calls there are")
    func document() throws {
        let document = try #require(
            JSONSerialization.jsonObject(with: Data(OpenAPIDocument.json.utf8)) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        let described = Set(paths.flatMap { path, calls in calls.keys.map { "\($0.uppercased()) \(path)" } })
        let served = Set(
            APIRoutes.methods.flatMap { path, methods in
                methods.filter { $0 != .head }.map { "\($0.rawValue) \(path)" }
            })
        #expect(described == served)
    }

    @Test("each answer of a change has a status that /openapi.json lists")
    func documentedAnswers() async throws {
        let document = try #require(
            JSONSerialization.jsonObject(with: Data(OpenAPIDocument.json.utf8)) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        let responses = Set(try #require(paths["/v1/push/register"]?["post"]?["responses"] as? [String: Any]).keys)
        let service = try TestService()
        try await service.run { client in
            let answers = [
                try await client.register(), try await client.register(["platform": 1]),
                try await client.register(["capabilities": ["a"]]), try await client.register(["auth": 1]),
                try await client.send(.post, "/v1/push/register", bytes: [UInt8](repeating: 32, count: 131_073)),
                try await client.send(.post, "/v1/push/register", bytes: [], headers: [.contentType: "text/plain"]),
            ]
            #expect(answers.map(\.status.code) == [200, 400, 401, 400, 413, 415])
            for answer in answers { #expect(responses.contains("\(answer.status.code)")) }
        }
    }

    @Test(
        "what is not there is 404, in JSON",
        arguments: [
            "/v1", "/v1/push", "/v1/push/registered", "/v1/push/register/x", "/V1/push/register", "/health.json",
            "/v1/push/%72egister", "/../health", "/v1/push/other", "/metrics/prometheus/x",
        ])
    func notFound(uri: String) async throws {
        try await TestService().run { client in
            for method in [HTTPRequest.Method.get, .post, .delete] {
                try expect(try await client.execute(uri: uri, method: method), .notFound, "there is no such call")
            }
        }
    }

    @Test("answers to HEAD have no body, so the next answer on the connection is its own", .timeLimit(.minutes(5)))
    func headOnTheWire() async throws {
        try await TestService().run(.live) { client in
            let port = try #require(client.port)
            let heads = ["/health", "/nothing", "/v1/push/register", "/ready", "/v1/push/status"]
            let request = heads.map { "HEAD \($0) HTTP/1.1\r\nhost: localhost\r\n\r\n" }.joined()
            let answer = try await RawConnection.exchange(
                request + "GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n", port: port)
            let answers = answer.components(separatedBy: "HTTP/1.1 ").dropFirst()
            #expect(answers.map { $0.prefix(3) } == ["200", "404", "405", "200", "400", "200"])
            for head in answers.dropLast() { #expect(head.hasSuffix("\r\n\r\n"), "\(head)") }
            #expect(answers.first?.lowercased().contains("content-length: 15\r\n") == true, "as GET would say")
            #expect(answer.hasSuffix("\r\n\r\n" + #"{"status":"ok"}"#))
        }
    }

    @Test("no request line brings the server down", .timeLimit(.minutes(5)))
    func oddRequests() async throws {
        try await TestService().run(.live) { client in
            let port = try #require(client.port)
            for target in [
                "*", "//", "///?", "/?%", "/%", "/%zz?%zz=%zz", "?", "/?&&==&=", "http://", "http://:",
                "http://x:99999999999",
                "http://x:80?y", "http://x?y", "://", ":", "/\u{7f}", "/é?device_token=é",
                "/v1/push/status?device_token=%e2%82",
                "/" + String(repeating: "a/", count: 20_000), "/?" + String(repeating: "a&", count: 20_000),
            ] {
                let answer = try await RawConnection.exchange(
                    "GET \(target) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n", port: port)
                let isStatusPage = answer.hasPrefix("HTTP/1.1 200") && answer.contains("<!DOCTYPE html>")
                #expect(
                    answer.hasPrefix("HTTP/1.1 4") || isStatusPage, "\(target.prefix(60)): \(answer.prefix(200))")
            }
            for garbage in ["GET\r\n\r\n", "\u{0}\u{0}\u{0}\r\n\r\n", "POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n"] {
                let answer = try await RawConnection.exchange(garbage, port: port) { $0.contains("\r\n\r\n") }
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400"), "\(garbage): \(answer)")
            }
            #expect(try await client.execute(uri: "/health", method: .get).status == .ok)
        }
    }

    @Test("requests are counted by route and never by path")
    func counted() async throws {
        let metrics = TestMetrics.registry
        try await TestService(metrics: metrics).run { client in
            _ = try await client.execute(uri: "/a-path-of-the-client", method: .get)
            _ = try await client.execute(uri: "/openapi.json/", method: .get)
            _ = try await client.execute(uri: "/health", method: try #require(.init("PROPFIND")))
            _ = try await client.register(["platform": "no"])
            let text = try await client.execute(uri: "/metrics/prometheus", method: .get).text
            #expect(!text.contains("a-path-of-the-client") && !text.contains("PROPFIND"))
            #expect(text.contains(#"kasia_http_requests_total{method="GET",route="NotFound",status="404"}"#))
            #expect(text.contains(#"kasia_http_requests_total{method="GET",route="/openapi.json",status="200"}"#))
            #expect(text.contains(#"kasia_http_requests_total{method="other",route="NotFound",status="405"}"#))
            #expect(text.contains(#"kasia_registrations_total{call="register",result="400"}"#))
            #expect(text.contains(#"kasia_http_request_seconds_count{route="/v1/push/register"}"#))
        }
    }
}
