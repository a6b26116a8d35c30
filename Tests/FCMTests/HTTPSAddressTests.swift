import Testing

@testable import FCM

@Suite("https addresses")
struct HTTPSAddressTests {
    @Test(
        "are an origin and a path",
        arguments: [
            ("https://a.example", "https://a.example", ""), ("https://a.example:8443", "https://a.example:8443", ""),
            ("https://a.example/", "https://a.example", "/"), ("https://[::1]:1/x/y", "https://[::1]:1", "/x/y"),
            ("https://127.0.0.1:65535/t", "https://127.0.0.1:65535", "/t"),
        ])
    func read(text: String, origin: String, path: String) throws {
        let address = try #require(HTTPSAddress(text))
        #expect(address.origin == origin)
        #expect(address.path == path)
    }

    @Test(
        "are nothing else",
        arguments: [
            "", "https://", "https:///a", "http://a", "HTTPS://a", "https://a:", "https://a:x", "https://a:+1",
            "https://a:0", "https://a:65536", "https://u@a/b", "https://a/b c", "https://a/b?c", "https://a/b#c",
            "https://a b/c", "https://ä.example/", "https://::1/a", "https://a/\n",
            "https://" + String(repeating: "a", count: 993),
        ])
    func refused(text: String) { #expect(HTTPSAddress(text) == nil) }
}
