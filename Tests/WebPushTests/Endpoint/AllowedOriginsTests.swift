import Testing

@testable import WebPush

@Suite("Allowed origins")
struct AllowedOriginsTests {
    @Test(
        "matches whole hosts, hosts below one, or anything",
        arguments: [
            ("https://push.example", "https://push.example/a", true),
            ("https://Push.Example", "https://pUSH.example:443/a", true),
            ("https://push.example:443", "https://push.example/a", true),
            ("https://push.example", "https://push.example:8443/a", false),
            ("https://push.example:8443", "https://push.example:8443/a", true),
            ("https://push.example:8443", "https://push.example/a", false),
            ("https://push.example", "https://a.push.example/a", false),
            ("https://push.example", "https://push.example.evil.example/a", false),
            ("https://push.example", "https://evil.example/push.example", false),
            ("https://push.example", "https://xpush.example/a", false),
            ("https://*.push.example", "https://a.push.example/a", true),
            ("https://*.push.example", "https://a.b.c.push.example/a", true),
            ("https://*.push.example", "https://push.example/a", false),
            ("https://*.push.example", "https://xpush.example/a", false),
            ("https://*.push.example", "https://a.push.example.evil.example/a", false),
            ("https://*.push.example", "https://a.push.example:8443/a", false),
            ("https://*.push.example:8443", "https://a.push.example:8443/a", true),
            ("https://192.0.2.1", "https://192.0.2.1/a", true),
            ("https://[::1]:8443", "https://[::1]:8443/a", true),
            ("*", "https://anything.example:8443/a", true),
            ("https://*", "https://[::1]/a", true),
        ])
    func matches(pattern: String, endpoint: String, isAllowed: Bool) throws {
        let match = try AllowedOrigins([pattern]).allows(try Endpoint(endpoint))
        #expect((match != nil) == isAllowed)
        #expect(match.map(\.description) == (isAllowed ? pattern.lowercased() : nil))
    }

    @Test(
        "refuses what is no pattern, in a sentence",
        arguments: [
            "", "push.example", "http://push.example", "https://", "https://push.example/", "https://push.example/a",
            "https://push.example.", "https://*.push.example.", "https://*push.example", "https://a.*.example",
            "https://*.*.example", "https://*.", "https://*.192.0.2.1", "https://*.[::1]", "https://*:443", "**",
            "https://user@push.example", "https://push.example:0", "https://push.example:65536", "https://püsh.example",
            "https://push.example#a", "https://push example", "https://%70ush.example",
        ])
    func bad(pattern: String) {
        let error = #expect(throws: OriginPatternError.self) { try AllowedOrigins([pattern]) }
        #expect(error?.description == "\(pattern) must be https://HOST, https://HOST:PORT, https://*.HOST or *")
    }

    @Test("the first match counts, and an empty list allows nothing")
    func order() throws {
        let origins = try AllowedOrigins(["https://a.example", "https://*.example", "*"])
        #expect(origins.allows(try Endpoint("https://a.example/"))?.description == "https://a.example")
        #expect(origins.allows(try Endpoint("https://b.example/"))?.description == "https://*.example")
        #expect(origins.allows(try Endpoint("https://b.test/"))?.description == "*")
        #expect(try AllowedOrigins([]).allows(try Endpoint("https://b.test/")) == nil)
    }

    @Test("at most 64 patterns")
    func count() throws {
        for count in [63, 64] {
            #expect(try AllowedOrigins((0..<count).map { "https://h\($0).example" }).patterns.count == count)
        }
        #expect(throws: OriginPatternError.self) {
            try AllowedOrigins((0..<65).map { "https://h\($0).example" })
        }
    }

    @Test("by default, those of the browsers")
    func browsers() throws {
        #expect(AllowedOrigins.browsers.patterns.count == 6)
        for good in [
            "https://fcm.googleapis.com/fcm/send/a", "https://updates.push.services.mozilla.com/wpush/v2/a",
            "https://x.push.services.mozilla.com/a", "https://db5p.notify.windows.com/w/?token=a",
            "https://web.push.apple.com/a", "https://api.push.apple.com/a",
        ] { #expect(AllowedOrigins.browsers.allows(try Endpoint(good)) != nil) }
        for bad in ["https://notify.windows.com/a", "https://ntfy.sh/a", "https://googleapis.com/a"] {
            #expect(AllowedOrigins.browsers.allows(try Endpoint(bad)) == nil)
        }
    }
}
