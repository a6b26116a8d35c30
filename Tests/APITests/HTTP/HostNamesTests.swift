import HTTPTypes
import HummingbirdTesting
import Testing

@testable import API

@Suite("Names of the server")
struct HostNamesTests {
    @Test(
        "on loopback only loopback names, with any port, and those that a trusted proxy passes on",
        arguments: [
            ("localhost", true), ("LocalHost:8080", true), ("127.0.0.1", true), ("127.0.0.1:1", true), ("[::1]", true),
            ("[::1]:8080", true), ("localhost.", true), ("127.0.0.2", true), ("push.example.org", false),
            ("push.example.org:8080", false), ("localhost.example.org", false), ("127.0.0.1.example.org", false),
            ("0.0.0.0", false), ("192.168.1.2:8080", false), ("[::2]", false), ("", false), ("[", false), (":", false),
        ])
    func loopback(host: String, isAllowed: Bool) {
        for bound in ["127.0.0.1", "localhost", "::1", "127.1.2.3"] {
            let names = HostNames(boundTo: bound, names: [])
            #expect(names.allow(host, isFromTrustedProxy: false) == isAllowed, "\(bound)")
            #expect(names.allow(host, isFromTrustedProxy: true))
            #expect(names.allow(nil, isFromTrustedProxy: false))
        }
    }

    @Test(
        "with names those and loopback's, also from proxies and on every address",
        arguments: [
            ("push.example.org", true), ("PUSH.example.org:443", true), ("push.example.org.", true),
            ("192.0.2.7", true),
            ("[2001:db8::1]:8080", true), ("localhost:8080", true), ("example.org", false),
            ("x.push.example.org", false), ("192.0.2.8", false),
        ])
    func named(host: String, isAllowed: Bool) {
        for bound in ["127.0.0.1", "0.0.0.0", "::", "192.0.2.7"] {
            let names = HostNames(boundTo: bound, names: ["push.example.org", "192.0.2.7", "2001:db8::1"])
            for isFromTrustedProxy in [false, true] {
                #expect(names.allow(host, isFromTrustedProxy: isFromTrustedProxy) == isAllowed, "\(bound)")
            }
        }
    }

    @Test("without names every name is one of a server that others reach", arguments: ["0.0.0.0", "::", "192.0.2.7"])
    func anyName(bound: String) {
        #expect(HostNames(boundTo: bound, names: []).allow("whatever.example", isFromTrustedProxy: false))
    }

    @Test("a request for another host is 421 and changes nothing, but for /health", .timeLimit(.minutes(10)))
    func overTheWire() async throws {
        let service = try TestService()
        try await service.run(.live) { client in
            let port = try #require(client.port)
            for path in ["/", "/status.json", "/metrics", "/v1/push/challenge", "/nothing", "/v1/activity"] {
                let answer = try await RawConnection.exchange(
                    "GET \(path) HTTP/1.1\r\nhost: rebound.example\r\nconnection: close\r\n\r\n", port: port)
                #expect(
                    answer.hasPrefix("HTTP/1.1 421 ") && answer.contains(#"{"error":"the request's Host"#), "\(answer)")
            }
            for (path, head) in [
                ("/health", "HTTP/1.1\r\nhost: rebound.example\r\nconnection: close"), ("/health", "HTTP/1.0"),
                ("/metrics", "HTTP/1.0"), ("/metrics", "HTTP/1.1\r\nhost: localhost:\(port)\r\nconnection: close"),
            ] {
                let answer = try await RawConnection.exchange("GET \(path) \(head)\r\n\r\n", port: port) {
                    $0.contains("}")
                }
                #expect(answer.contains(" 200 "), "\(answer.prefix(200))")
            }
        }
    }
}
