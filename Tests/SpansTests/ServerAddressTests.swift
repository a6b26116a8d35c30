import Testing

@testable import Spans

@Suite("ServerAddress")
struct ServerAddressTests {
    @Test(
        "host and port are read out of an origin",
        arguments: [
            ("https://api.push.apple.com:443", "api.push.apple.com", 443), ("https://localhost", "localhost", nil),
            ("https://127.0.0.1:65535", "127.0.0.1", 65535), ("https://[::1]:8443", "::1", 8443),
            ("https://[fe80::1]", "fe80::1", nil), ("apple.com:1", "apple.com", 1),
        ] as [(String, String, Int?)])
    func origin(text: String, host: String, port: Int?) {
        #expect(ServerAddress(origin: text) == ServerAddress(host: host, port: port))
    }
}
