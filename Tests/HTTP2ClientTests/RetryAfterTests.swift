@testable import HTTP2Client
import Testing

@Suite("Retry-After")
struct RetryAfterTests {
    @Test(
        "is seconds or one of three forms of date",
        arguments: [
            ("0", RetryAfter.seconds(0)), ("120", .seconds(120)), (" 7 ", .seconds(7)),
            ("18446744073709551615", .seconds(.max)), ("99999999999999999999999999", .seconds(.max)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", .date(unixSeconds: 784_111_777)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", .date(unixSeconds: 784_111_777)),
            ("Sun Nov  6 08:49:37 1994", .date(unixSeconds: 784_111_777)),
        ])
    func read(text: String, expected: RetryAfter) { #expect(RetryAfter(text) == expected) }

    @Test(
        "is nothing when it is garbage",
        arguments: [
            "", " ", "-1", "1.5", "12 apples", "soon", "Sun, 99 Nov 1994", "\u{0}", "💥", "1e9", "0x10",
            String(repeating: "9", count: 65),
        ])
    func garbage(text: String) { #expect(RetryAfter(text) == nil) }

    @Test("waits from now, never less than nothing, never more than a day")
    func delay() {
        #expect(RetryAfter.seconds(86_399).delay(now: 0) == .seconds(86_399))
        #expect(RetryAfter.seconds(86_400).delay(now: 0) == .seconds(86_400))
        #expect(RetryAfter.seconds(86_401).delay(now: 0) == .seconds(86_400))
        #expect(RetryAfter.seconds(.max).delay(now: .max) == .seconds(86_400))
        #expect(RetryAfter.date(unixSeconds: 1000).delay(now: 1001) == .zero)
        #expect(RetryAfter.date(unixSeconds: 1000).delay(now: 1000) == .zero)
        #expect(RetryAfter.date(unixSeconds: 1000).delay(now: 999) == .seconds(1))
        #expect(RetryAfter.date(unixSeconds: .max).delay(now: 0) == .seconds(86_400))
    }
}
