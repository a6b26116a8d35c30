import Testing

@testable import KasiaPushCore

@Suite("Cut texts")
struct StringCutTests {
    @Test("have at most so many characters", arguments: [2, 3, 4])
    func characters(count: Int) {
        let text = String(repeating: "ü", count: count)
        #expect(text.cut(toCharacters: 3, bytes: 100) == String(repeating: "ü", count: min(count, 3)))
    }

    @Test(
        "have at most so many bytes, in whole scalars", arguments: [(5, "üü"), (6, "üüü"), (7, "üüü"), (8, "üüüü")])
    func bytes(limit: Int, expected: String) {
        #expect("üüüü".cut(toCharacters: 100, bytes: limit) == expected)
    }

    @Test("are short even when one character has very many scalars")
    func combining() {
        let text = "e" + String(repeating: "\u{301}", count: 100_000)
        #expect(text.cut(toCharacters: 10, bytes: 21).utf8.count == 21)
    }
}
