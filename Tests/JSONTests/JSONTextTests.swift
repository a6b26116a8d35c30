import Foundation
import Testing

@testable import JSON

@Suite("JSONText")
struct JSONTextTests {
    @Test("Every scalar survives by itself and all together")
    func jsonScalars() throws {
        let scalars = (0...0x2fff as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
        var all = ""
        for scalar in scalars {
            all.unicodeScalars.append(scalar)
            try jsonStrings(text: "a\(scalar)b")
        }
        try jsonStrings(text: all)
    }

    @Test(
        "JSON strings survive any scalar",
        arguments: [
            "", "plain", "\"\\/", "\u{0}\u{1f}\u{7f}\u{85}", "a\u{2028}b\u{202e}c", "é🎈", "\r\n\t",
        ])
    func jsonStrings(text: String) throws {
        let quoted = JSONText.quoted(text)
        #expect(!quoted.unicodeScalars.contains(where: JSONText.isUnprintable))
        let decoded = try JSONSerialization.jsonObject(with: Data("[\(quoted)]".utf8)) as? [String]
        #expect(decoded == [text])
    }
}
