import API
import Testing

@testable import KasiaPushIndexer

@Suite("Plain HTTP")
struct PlainHTTPCheckTests {
    @Test(
        "is warned of on an address that is not loopback",
        arguments: [
            ("0.0.0.0", true), ("192.0.2.1", true), ("::", true), ("push.example.org", true), ("128.0.0.1", true),
            ("127.0.0.1", false), ("127.255.255.254", false), ("::1", false), ("localhost", false),
            ("LocalHost", false),
        ])
    func hosts(host: String, warns: Bool) {
        var http = HTTPSettings()
        http.host = host
        #expect((PlainHTTPCheck.finding(http)?.level == .warn) == warns)
    }

    @Test("is not warned of with TLS or behind a proxy")
    func others() throws {
        var http = HTTPSettings()
        http.host = "0.0.0.0"
        http.trustedProxies = [try #require(AddressBlock("10.0.0.1"))]
        #expect(PlainHTTPCheck.finding(http) == nil)
        http.trustedProxies = []
        http.tls = HTTPSettings.TLSFiles(certificatePath: "a", keyPath: "b")
        #expect(PlainHTTPCheck.finding(http) == nil)
    }
}
