import JSON
import Kaspa
import Logging
import Testing
import TestRandom

@testable import API

@Suite("What went wrong recently")
struct RecentEventsTests {
    private let events = RecentEvents()

    private func note(
        _ message: String, _ level: Logger.Level = .error, _ metadata: Logger.Metadata = [:], at time: UInt64 = 1
    ) {
        events.note(level: level, label: "kasia.push", message: message, metadata: metadata, at: time)
    }

    @Test("warnings and worse are kept", arguments: Logger.Level.allCases)
    func levels(level: Logger.Level) {
        note("x.y", level)
        #expect(events.newestFirst.map(\.level) == (level >= .warning ? [level] : []))
    }

    @Test("of each kind the last is kept, with their number, and the newest is first")
    func kinds() throws {
        note("a", .error, ["limit": "1"], at: 10)
        note("b", at: 20)
        note("a", .warning, at: 30)
        note("a", .error, ["limit": "2"], at: 40)
        let kept = events.newestFirst
        #expect(kept.map(\.message) == ["a", "a", "b"] && kept.map(\.count) == [2, 1, 1])
        #expect(kept[0].since == 10 && kept[0].time == 40 && kept[0].metadata.map(\.value) == ["2"])
    }

    @Test("the list is bounded, and what was heard of longest ago goes first", arguments: [49, 50, 51, 500])
    func bounded(count: Int) {
        // Names in letters: many digits would be withheld.
        let names = (0..<count).map { number in
            String(
                String(number, radix: 5).map { digit in "abcde".dropFirst(digit.wholeNumberValue ?? 0).first ?? "x" })
        }
        for name in names { note(name) }
        #expect(events.newestFirst.map(\.message) == names.suffix(50).reversed())
    }

    /// What must never be shown, wherever it stands.
    static let personal = [
        String(repeating: "0123456789abcdef", count: 4), String(repeating: "ab", count: 32), "deadbeef0123",
        "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l",
        "qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l", "203.0.113.7", "203.0.113.7:51234",
        "[2001:db8::1]:443", "2001:db8::1", "somebody@example.org", "/home/somebody/data",
        "device_token=00112233445566778899", "\u{202e}evil", "x\ny",
    ]

    @Test("nobody's data is shown, in a message, a label, or any metadata", arguments: personal)
    func nobodysData(text: String) throws {
        note(text)
        note("the request of \(text) failed")
        events.note(level: .error, label: text, message: "x", metadata: [:], at: 1)
        let keys = [
            "reason", "limit", "node.error_code", "api.call", "network", "apns.failure", "daa_score", "error.message",
            "device", "transaction", "request.id", "node.url", "x",
        ]
        for key in keys {
            note("x", .error, [key: "\(text)"])
            note("y", .error, [key: .array(["\(text)"])])
            note("z", .error, [key: .dictionary(["limit": "\(text)"])])
        }
        let shown = JSONAnswer.array(events.newestFirst.map(\.answer)).text
        #expect(!shown.contains(JSONText.quoted(text).dropFirst().dropLast()), "\(shown)")
        #expect(!shown.contains(text))
        #expect(events.newestFirst.contains { $0.message == EventFilter.withheld })
    }

    @Test("random texts with a token or an address in them are withheld too")
    func randomTexts() throws {
        var random = SeededRandom()
        let seed = random.seed
        let separators = [" ", ".", "_", "-", ",", ";", "'", "(", ")", ": ", "=", ""]
        for _ in 0..<2_000 {
            let payload = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
            let address = try #require(Address(prefix: .kaspa, version: .schnorr, payload: payload)).description
            let secrets = [Hex.encode(payload), address, String(address.dropFirst(6))]
            let secret = try #require(secrets.randomElement(using: &random))
            let before = separators.randomElement(using: &random) ?? ""
            let after = separators.randomElement(using: &random) ?? ""
            let text = "the call failed\(before)\(secret)\(after)again"
            #expect(EventFilter.message(text) == EventFilter.withheld, "\(text), seed \(seed)")
            #expect(EventFilter.metadata(["reason": "\(text)", "limit": "\(secret)"]).isEmpty, "\(text), seed \(seed)")
        }
    }

    @Test("what our code logs is shown: constant messages, numbers, words")
    func shown() throws {
        for message in [
            "push.sending.paused", "indexer.chain.gap", "APNs provider token could not be renewed",
            "unreadable block left out", "node left", "APNs connection could not be set up",
        ] { #expect(EventFilter.message(message) == message) }
        let metadata = EventFilter.metadata([
            "reason": "InternalServerError", "from_daa_score": "412345678", "retry.after": "1.6 seconds",
            "curl.code": "28", "error.message": "IO error", "node.error_code": "transport",
        ])
        #expect(
            metadata.map { "\($0.key)=\($0.value)" } == [
                "curl.code=28", "from_daa_score=412345678", "node.error_code=transport", "reason=InternalServerError",
                "retry.after=1.6 seconds",
            ])
    }
}
