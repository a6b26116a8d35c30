import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import API

@Suite("Operations calls")
struct OperationsTests {
    @Test("/health answers while the process runs, also when nothing else does")
    func health() async throws {
        let broken = Readiness(parts: [Readiness.Part(name: "node", isReady: false, state: "not connected")])
        try await TestService(readiness: broken).run { client in
            expectDone(try await client.execute(uri: "/health", method: .get))
        }
    }

    @Test("/ready names each part and its state")
    func ready() async throws {
        let readiness = Readiness(parts: [
            Readiness.Part(name: "node", isReady: true, state: "ok"),
            Readiness.Part(name: "store", isReady: true, state: "ok"),
            Readiness.Part(name: "apns", isReady: true, state: "not configured"),
        ])
        try await TestService(readiness: readiness).run { client in
            let answer = try await client.execute(uri: "/ready", method: .get)
            #expect(answer.status == .ok && answer.headers[.contentType] == "application/json")
            #expect(
                answer.text
                    == #"{"ready":true,"parts":{"node":{"ready":true,"state":"ok"},"store":{"ready":true,"state":"ok"},"#
                    + #""apns":{"ready":true,"state":"not configured"}}}"#)
        }
    }

    @Test("/ready is 503 when any part is not ready", arguments: 0..<3)
    func notReady(broken: Int) async throws {
        let names = ["node", "store", "apns"]
        let parts = names.indices.map {
            Readiness.Part(name: names[$0], isReady: $0 != broken, state: $0 == broken ? "\"quoted\" trouble" : "ok")
        }
        try await TestService(readiness: Readiness(parts: parts)).run { client in
            let answer = try await client.execute(uri: "/ready", method: .get)
            #expect(answer.status == .serviceUnavailable && answer.headers[.contentType] == "application/json")
            #expect(answer.text.hasPrefix(#"{"ready":false,"#))
            #expect(answer.text.contains(#""\#(names[broken])":{"ready":false,"state":"\"quoted\" trouble"}"#))
            let head = try await client.execute(uri: "/ready", method: .head)
            #expect(head.status == .serviceUnavailable && head.body.readableBytes == 0)
        }
    }

    @Test("metrics come as JSON and as Prometheus' text, under the registry's own content type")
    func metrics() async throws {
        try await TestService().run { client in
            let json = try await client.execute(uri: "/metrics", method: .get)
            #expect(json.headers[.contentType] == "application/json")
            let object = try JSONSerialization.jsonObject(with: Data(buffer: json.body)) as? [String: Any]
            #expect(object?["blocks_total"] as? Int == 0)
            let text = try await client.execute(uri: "/metrics/prometheus", method: .get)
            #expect(text.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(text.text.contains("# TYPE kasia_blocks_total counter"))
            #expect(OpenAPIDocument.json.contains("\"\(PrometheusRegistry.prometheusContentType)\""))
        }
    }

    @Test("/openapi.json is the document")
    func openAPI() async throws {
        try await TestService().run { client in
            let answer = try await client.execute(uri: "/openapi.json", method: .get)
            #expect(answer.headers[.contentType] == "application/json" && answer.text == OpenAPIDocument.json)
        }
    }
}
