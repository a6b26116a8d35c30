import Testing

@testable import API

@Suite("Trimming")
struct TrimmingTests {
    @Test(
        "white space goes at both ends, scalar by scalar, and nowhere else",
        arguments: [
            ("", ""), (" ", ""), ("\u{3000}\t\r\n", ""), ("a", "a"), ("a b", "a b"), (" a\u{a0}b", "a\u{a0}b"),
            ("a ", "a"), ("\u{a0}a", "a"), ("a\u{2003}", "a"), ("\u{85}é\u{85}", "é"), ("!~", "!~"),
            ("\u{7f}a\u{7f}", "\u{7f}a\u{7f}"), (" \u{301}a", "\u{301}a"), ("a\u{1f}", "a\u{1f}"),
        ])
    func trimmed(text: String, expected: String) {
        #expect(Array(text.trimmed.utf8) == Array(expected.utf8))
        #expect(Array("<\(text)>".dropFirst().dropLast().trimmed.utf8) == Array(expected.utf8))
    }
}
