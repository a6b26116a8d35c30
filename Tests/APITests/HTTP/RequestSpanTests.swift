import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemoryTracing
import RecordedSpans
import Spans
import Testing
import Tracing

@testable import API

@Suite("Spans of requests")
struct RequestSpanTests {
    /// The span of one request, the only one that is recorded.
    private func span(
        _ method: HTTPRequest.Method, _ uri: String, headers: HTTPFields = [:], body: [String: Any]? = nil,
        service: TestService? = nil
    ) async throws -> FinishedInMemorySpan {
        let tracer = InMemoryTracer()
        let bytes = try body.map { [UInt8](try JSONSerialization.data(withJSONObject: $0)) }
        try await (try service ?? TestService()).run { client in
            try await withTracer(tracer) {
                if let bytes {
                    _ = try await client.send(method, uri, bytes: bytes, headers: headers)
                } else {
                    _ = try await client.execute(uri: uri, method: method, headers: headers)
                }
            }
        }
        #expect(tracer.finishedSpans.count == 1 && tracer.activeSpans.isEmpty)
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.kind == .server && span[.urlScheme] == "http" && span[.serverAddress] == "127.0.0.1")
        #expect(span.errors.isEmpty && span.events.isEmpty)
        return span
    }

    @Test("one has method, template, status and the answer's id, and not what stood in the path")
    func success() async throws {
        let id = String(repeating: "ab", count: 32)
        let span = try await span(.get, "/v1/messages/\(id)?address=kaspa:qz", headers: [.xRequestID: "one-2"])
        #expect(span.operationName == "GET /v1/messages/{tx_id}" && span[.httpRoute] == "/v1/messages/{tx_id}")
        #expect(span[.httpMethod] == "GET" && span[.httpStatus] == 400 && span[.requestID] == "one-2")
        #expect(!span.hasFailed && !"\(span.attributes)".contains(id) && !"\(span.attributes)".contains("kaspa"))
        #expect(span.parentSpanID == nil)
    }

    @Test("a registration is told without its token and addresses")
    func registered() async throws {
        let span = try await span(
            .post, "/v1/push/register", headers: [.userAgent: "an app", .xForwardedFor: "203.0.113.7"],
            body: try registration())
        #expect(span.operationName == "POST /v1/push/register" && span[.httpStatus] == 200)
        let told = "\(span)"
        for secret in [token, try addresses(1)[0], "an app", "203.0.113.7"] { #expect(!told.contains(secret)) }
        #expect(Set(attributes(of: span)).isSubset(of: Set(SpanKey.allCases.map(\.rawValue))))
    }

    @Test("a refused one has its status, and has not failed: the fault is the client's")
    func refused() async throws {
        let span = try await span(.post, "/v1/push/register", body: try registration(["device_token": "zz"]))
        #expect(span.operationName == "POST /v1/push/register" && span[.httpStatus] == 400)
        #expect(!span.hasFailed && span[.errorType] == nil)
    }

    @Test("a fault of ours has failed, with its status as the reason")
    func broken() async throws {
        let service = try TestService()
        try await service.damage(token)
        let span = try await span(.post, "/v1/push/register", body: try registration(), service: service)
        #expect(span[.httpStatus] == 500 && span.hasFailed && span[.errorType] == "500")
        #expect(span.status?.message == nil)
    }

    @Test(
        "what no route takes has no route, and its name does not repeat the client's words",
        arguments: [
            (HTTPRequest.Method.get, "/kaspa:qz", "GET", 404), (.post, "/health", "POST", 405),
            (HTTPRequest.Method("KASPAQZ")!, "/health", "HTTP", 405),
            (.get, "/health?" + String(repeating: "a", count: 9_000), "GET", 414),
        ])
    func unrouted(method: HTTPRequest.Method, uri: String, name: String, status: Int64) async throws {
        let span = try await span(method, uri)
        #expect(span.operationName.hasPrefix(name) && span[.httpStatus] == .int64(status))
        #expect(span[.httpMethod] == .string(name == "HTTP" ? "_OTHER" : name))
        #expect(!"\(span)".lowercased().contains("kaspaqz") && !"\(span)".contains("kaspa:qz"))
        if status == 404 { #expect(span.operationName == "GET" && span[.httpRoute] == nil) }
    }

    @Test("it is a part of the caller's trace, if the caller names one")
    func propagated() async throws {
        let trace = try #require(HTTPField.Name(InMemoryTracer.traceIDKey))
        let parent = try #require(HTTPField.Name(InMemoryTracer.spanIDKey))
        let span = try await span(.get, "/health", headers: [trace: "theirs", parent: "7"])
        #expect(span.traceID == "theirs" && span.parentSpanID == "7")
    }

    private func attributes(of span: FinishedInMemorySpan) -> [String] {
        var names: [String] = []
        span.attributes.forEach { name, _ in names.append(name) }
        return names
    }
}
