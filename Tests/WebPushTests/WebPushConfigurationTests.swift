import Testing

@testable import WebPush

@Suite("Web Push configuration")
struct WebPushConfigurationTests {
    private var configuration = WebPushConfiguration(key: .make(), subject: "mailto:push@example.org")

    @Test("the default is good")
    func good() throws { try configuration.validate() }

    @Test("numbers have their ranges")
    mutating func ranges() throws {
        for (path, range, field) in [
            (\WebPushConfiguration.connections, 1...4, "connections"), (\.streams, 1...1_000, "streams"),
            (\.capacity, 2...100_000, "capacity"), (\.maximumPayloadBytes, 1...3_500, "maximumPayloadBytes"),
        ] {
            var changed = configuration
            for good in [range.lowerBound, range.upperBound] {
                changed[keyPath: path] = good
                try changed.validate()
            }
            for bad in [range.lowerBound - 1, range.upperBound + 1] {
                changed[keyPath: path] = bad
                #expect(
                    throws: WebPushConfigurationError(
                        field: field, message: "must be \(range.lowerBound) to \(range.upperBound), not \(bad)")
                ) { try changed.validate() }
            }
        }
    }

    @Test("times have their ranges")
    mutating func times() throws {
        for (path, bad) in [
            (\WebPushConfiguration.connectTimeout, [Duration.zero, .seconds(3_601)]),
            (\.requestTimeout, [.zero, .seconds(3_601)]), (\.drainTimeout, [.milliseconds(-1), .seconds(3_601)]),
        ] {
            for value in bad {
                var changed = configuration
                changed[keyPath: path] = value
                #expect(throws: WebPushConfigurationError.self) { try changed.validate() }
            }
        }
    }

    @Test(
        "a subject is a mailto: or https: URL",
        arguments: [
            ("mailto:a@b", true), ("https://example.org/contact", true), ("mailto:", false), ("https://", false),
            ("a@b", false), ("http://example.org", false), ("mailto:a b", false), ("mailto:a\"b", false),
            ("mailto:é@b", false), ("mailto:a\u{1}@b", false),
        ])
    mutating func subject(text: String, isGood: Bool) {
        configuration.subject = text
        #expect(((try? configuration.validate()) != nil) == isGood)
    }

    @Test("a subject has at most 255 bytes", arguments: [254, 255, 256])
    mutating func subjectLength(count: Int) {
        configuration.subject = "mailto:" + String(repeating: "a", count: count - 7)
        #expect(((try? configuration.validate()) != nil) == (count <= 255))
    }

    @Test("an error is a sentence")
    func sentence() {
        #expect(
            WebPushConfigurationError(field: "streams", message: "must be 1 to 1000, not 0").description
                == "Web Push streams must be 1 to 1000, not 0")
    }
}
