import TestRandom
import Testing

@testable import JSON

@Suite("Valid UTF-8")
struct StringUTF8Tests {
    @Test("is what the standard library's validation takes")
    func random() {
        var random = SeededRandom()
        for _ in 0..<2_000 {
            // Bytes that begin and continue characters come up often.
            let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                let byte = UInt8.random(in: .min ... .max, using: &random)
                return [0x61, 0xC3, 0xA4, 0xE2, 0x82, 0xAC, 0xF0, 0xFF, byte][Int(byte) % 9]
            }
            #expect(
                String(validUTF8: bytes) == String(validating: bytes, as: UTF8.self), "\(bytes), seed \(random.seed)")
        }
    }

    @Test(
        "is not changed",
        arguments: ["", "a", "Grüße, 你好 ☕", "e\u{301}", "\u{FFFD}", "\u{0}", "\u{10FFFF}", "\u{FEFF}a"])
    func kept(text: String) {
        #expect(String(validUTF8: Array(text.utf8)).map { Array($0.utf8) } == Array(text.utf8))
    }
}
