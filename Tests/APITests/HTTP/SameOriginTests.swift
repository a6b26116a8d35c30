import HTTPTypes
import HummingbirdTesting
import NIOCore
import Store
import Testing

@testable import API

/// What pages of other origins can send without being asked about it.
@Suite("Closed calls and other origins", .timeLimit(.minutes(10)))
struct SameOriginTests {
    private static let refusal = #"{"error":"pages of other origins may not make this call","code":"other_origin"}"#

    /// Over a socket: `Host` is what an origin is compared with.
    private func ask(
        _ client: any TestClientProtocol, _ method: String, _ path: String, _ headers: String,
        host: String = "localhost",
        body: String = ""
    ) async throws -> String {
        try await RawConnection.exchange(
            "\(method) \(path) HTTP/1.1\r\nhost: \(host)\r\nconnection: close\r\ncontent-length: \(body.utf8.count)\r\n"
                + "\(headers)\r\n\(body)", port: try #require(client.port))
    }

    @Test("a page of another origin neither registers a device nor reads what is closed")
    func otherOrigins() async throws {
        let service = try TestService()
        let body = #"{"device_token":"\#(token)","platform":"ios","watched_addresses":["\#(try addresses(1)[0])"]}"#
        try await service.run(.live) { client in
            for headers in [
                "origin: https://example.org\r\n", "origin: null\r\n", "sec-fetch-site: cross-site\r\n",
                "sec-fetch-site: same-site\r\n", "origin: http://localhost:3000\r\n",
                "sec-fetch-site: cross-site\r\nsec-fetch-mode: no-cors\r\n",
            ] {
                for type in ["", "content-type: application/json\r\n"] {
                    let answer = try await ask(client, "POST", "/v1/push/register", type + headers, body: body)
                    #expect(answer.hasPrefix("HTTP/1.1 403 ") && answer.contains(Self.refusal), "\(answer)")
                    #expect(!answer.lowercased().contains("access-control"))
                }
                for path in [
                    "/status.json", "/status/stream", "/metrics", "/metrics/prometheus", "/ready", "//metrics/",
                ] {
                    let answer = try await ask(client, "GET", path, headers)
                    #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(path) \(answer.prefix(100))")
                }
                let open = try await ask(client, "GET", "/health", headers)
                #expect(open.hasPrefix("HTTP/1.1 200 "))
            }
            // Without a word of the browser's about itself: no content type, no registration.
            let bare = try await ask(client, "POST", "/v1/push/register", "", body: body)
            #expect(bare.hasPrefix("HTTP/1.1 415 "))
        }
        #expect(try await service.store.totals().devices == 0)
    }

    @Test("pages of our own, apps, and whoever follows a link are served")
    func own() async throws {
        try await TestService().run(.live) { client in
            for (headers, host) in [
                ("", "localhost"), ("origin: http://localhost\r\n", "localhost"),
                ("origin: HTTP://LOCALHOST:80\r\n", "localhost"), ("origin: https://localhost:443\r\n", "localhost"),
                ("origin: http://127.0.0.1:8080\r\n", "127.0.0.1:8080"), ("origin: http://[::1]:1\r\n", "[::1]:1"),
                ("sec-fetch-site: same-origin\r\nsec-fetch-mode: cors\r\n", "localhost"),
                ("sec-fetch-site: none\r\nsec-fetch-mode: navigate\r\n", "localhost"),
                (
                    "sec-fetch-site: cross-site\r\nsec-fetch-mode: navigate\r\nsec-fetch-dest: document\r\n",
                    "localhost"
                ),
            ] {
                let answer = try await ask(client, "GET", "/status.json", headers, host: host)
                #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(headers) \(answer.prefix(200))")
            }
            let framed = "sec-fetch-site: cross-site\r\nsec-fetch-mode: navigate\r\nsec-fetch-dest: iframe\r\n"
            #expect(try await ask(client, "GET", "/", framed).hasPrefix("HTTP/1.1 403 "))
            let form = "sec-fetch-site: cross-site\r\nsec-fetch-mode: navigate\r\nsec-fetch-dest: document\r\n"
            #expect(try await ask(client, "POST", "/v1/push/challenge", form).hasPrefix("HTTP/1.1 403 "))
        }
    }
}
