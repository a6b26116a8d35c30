import Testing

@testable import WebPush

@Suite("Endpoint")
struct EndpointTests {
    @Test(
        "reads an https URL",
        arguments: [
            ("https://push.example/a", "https://push.example", "/a"),
            ("https://push.example/", "https://push.example", "/"),
            ("HTTPS://Push.EXAMPLE/Case/Kept", "https://push.example", "/Case/Kept"),
            ("https://push.example:443/a", "https://push.example", "/a"),
            ("https://push.example:8443/a?b=c&d=%2F", "https://push.example:8443", "/a?b=c&d=%2F"),
            ("https://push.example:1/", "https://push.example:1", "/"),
            ("https://push.example:65535/", "https://push.example:65535", "/"),
            ("https://push.example/a@b:c|d", "https://push.example", "/a@b:c|d"),
            ("https://push.example/?q=https://u@h", "https://push.example", "/?q=https://u@h"),
            ("https://wns2-by3p.notify.windows.com/w/?token=B", "https://wns2-by3p.notify.windows.com", "/w/?token=B"),
            ("https://xn--bcher-kva.example/a", "https://xn--bcher-kva.example", "/a"),
            ("https://192.0.2.1/a", "https://192.0.2.1", "/a"),
            ("https://[2001:DB8::1]:8443/a", "https://[2001:db8::1]:8443", "/a"),
            ("https://localhost/a", "https://localhost", "/a"),
            ("https://1a.2b/a", "https://1a.2b", "/a"),
        ])
    func good(text: String, origin: String, path: String) throws {
        let endpoint = try Endpoint(text)
        #expect(endpoint.origin == origin)
        #expect(endpoint.path == path)
        #expect(endpoint.text == text)
    }

    @Test(
        "refuses what is no such URL",
        arguments: [
            ("", EndpointError.notHTTPS), ("push.example/a", .notHTTPS), ("http://push.example/a", .notHTTPS),
            ("ftp://push.example/a", .notHTTPS), ("//push.example/a", .notHTTPS), ("https:/push.example/a", .notHTTPS),
            ("https://", .host), ("https:///a", .host), ("https://?a", .host), ("https://push.example", .noPath),
            ("https://push.example?a", .noPath), ("https://push.example/a#b", .fragment),
            ("https://push.example#/a", .fragment), ("https://user@push.example/a", .userInformation),
            ("https://user:word@push.example/a", .userInformation), ("https://@push.example/a", .userInformation),
            ("https://push.example\\@evil.example/a", .unusableCharacter),
            ("https://push.example/a\\b", .unusableCharacter), ("https://push.example/a b", .unusableCharacter),
            (" https://push.example/a", .unusableCharacter), ("https://push.example/a\n", .unusableCharacter),
            ("https://push.example/a\r\nx: y", .unusableCharacter), ("https://push.example/\u{7f}", .unusableCharacter),
            ("https://push.example/é", .unusableCharacter), ("https://bücher.example/a", .unusableCharacter),
            ("https://push%2eexample/a", .host), ("https://%70ush.example/a", .host),
            ("https://push.example./a", .host),
            ("https://.push.example/a", .host), ("https://push..example/a", .host), ("https://-a.example/a", .host),
            ("https://a-.example/a", .host), ("https://a_b.example/a", .host), ("https://push.example:/a", .host),
            ("https://push.example:0/a", .host), ("https://push.example:00443/a", .host),
            ("https://push.example:65536/a", .host), ("https://push.example:443443/a", .host),
            ("https://push.example:+443/a", .host), ("https://push.example:443:1/a", .host),
            ("https://127.1/a", .host), ("https://2130706433/a", .host), ("https://0x7f000001/a", .host),
            ("https://0x7f.0.0.1/a", .host), ("https://127.0.0.01/a", .host), ("https://127.0.0.0x1/a", .host),
            ("https://256.0.0.1/a", .host), ("https://1.2.3.4.5/a", .host), ("https://push.example.0x/a", .host),
            ("https://[::1/a", .host), ("https://::1/a", .host), ("https://[::1]a/a", .host), ("https://[]/a", .host),
            ("https://[127.0.0.1]/a", .host), ("https://[fe80::1%25eth0]/a", .host), ("https://[::1]:/a", .host),
            ("https://[[::1]]/a", .host), ("https://*.example/a", .host),
            ("https://push.example,evil.example/a", .host),
        ])
    func bad(text: String, error: EndpointError) {
        #expect(throws: error) { try Endpoint(text) }
    }

    @Test("has at most 1,000 bytes")
    func length() throws {
        let start = "https://push.example/"
        for count in [999, 1_000] {
            #expect(try Endpoint(start + String(repeating: "a", count: count - start.count)).text.count == count)
        }
        let long = start + String(repeating: "a", count: 1_001 - start.count)
        #expect(throws: EndpointError.tooLong) { try Endpoint(long) }
        #expect(throws: EndpointError.tooLong) { try Endpoint(token: Array(long.utf8)) }
    }

    @Test("a label has at most 63 bytes, and a name 253")
    func names() throws {
        for count in [62, 63] { _ = try Endpoint("https://\(String(repeating: "a", count: count)).example/") }
        #expect(throws: EndpointError.host) { try Endpoint("https://\(String(repeating: "a", count: 64)).example/") }
        let label = String(repeating: "a", count: 63)
        let long = [label, label, label].joined(separator: ".")
        for count in [60, 61] { _ = try Endpoint("https://\(long).\(String(repeating: "b", count: count))/") }
        #expect(throws: EndpointError.host) {
            try Endpoint("https://\(long).\(String(repeating: "b", count: 62))/")
        }
    }

    @Test("a token is the URL's bytes")
    func token() throws {
        #expect(try Endpoint(token: Array("https://push.example/a".utf8)) == Endpoint("https://push.example/a"))
        #expect(throws: EndpointError.unusableCharacter) { try Endpoint(token: [0x68, 0xff]) }
    }

    @Test("neither descriptions nor errors show the path")
    func descriptions() throws {
        let endpoint = try Endpoint("https://push.example/secret")
        #expect("\(endpoint)" == "endpoint at https://push.example")
        #expect(!String(reflecting: endpoint).contains("secret"))
        #expect(EndpointError.notHTTPS.description == "must be an https URL")
    }
}
