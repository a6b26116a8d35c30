import Foundation
import Testing

@testable import JSON

@Suite("JSONWriter")
struct JSONWriterTests {
    @Test("Every ASCII character survives a round trip through another JSON reader")
    func escapes() throws {
        let text = String(decoding: (0...0x7f).map { UInt8($0) }, as: UTF8.self) + "ü\u{2028}😀"
        var json = JSONWriter()
        json.object { $0.member("text", text) }
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: String])
        #expect(object["text"] == text)
    }

    @Test("Members and objects are separated by commas and nothing else")
    func separates() {
        var json = JSONWriter()
        json.object { json in
            json.object("a") { _ in }
            json.member("b", 1)
            json.object("c") { json in
                json.null("d")
                json.member("e", hex: [0x0f, 0xf0][...])
            }
            json.member("f", text: Array("x".utf8)[...])
        }
        #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"a":{},"b":1,"c":{"d":null,"e":"0ff0"},"f":"x"}"#)
    }

    @Test("Arrays and members with any name are separated like the rest")
    func nests() {
        var json = JSONWriter(escaping: .unprintable)
        json.object { json in
            json.name("a\n")
            json.array { json in
                json.null()
                json.array { _ in }
                json.object { $0.member("b", true) }
                json.number(0.5)
            }
            json.name("c")
            json.integer(.max)
        }
        #expect(json.text == #"{"a\n":[null,[],{"b":true},0.5],"c":18446744073709551615}"#)
    }

    @Test(
        "A text is escaped as far as it is asked for",
        arguments: [
            ("plain é😀", #""plain é😀""#, #""plain é😀""#), ("\"\\/", #""\"\\/""#, #""\"\\/""#),
            ("\n\r\t", #""\u000a\u000d\u0009""#, #""\n\r\t""#), ("\0\u{1f}", #""\u0000\u001f""#, #""\u0000\u001f""#),
            ("\u{7f}\u{2028}\u{202e}", "\"\u{7f}\u{2028}\u{202e}\"", #""\u007f\u2028\u202e""#),
        ])
    func escaping(text: String, required: String, unprintable: String) {
        for (escaping, expected) in [(JSONWriter.Escaping.required, required), (.unprintable, unprintable)] {
            var json = JSONWriter(escaping: escaping)
            json.string(text)
            #expect(json.text == expected)
        }
    }

    @Test("What a character takes is what the required escapes make of it")
    func widths() {
        for value in Array(0...0x3ff as ClosedRange<UInt32>) + [0x2028, 0xffff, 0x1f600] {
            guard let scalar = Unicode.Scalar(value) else { continue }
            var json = JSONWriter()
            json.string(String(scalar))
            #expect(json.bytes.count == JSONWriter.width(of: scalar) + 2, "\(value)")
        }
    }

    @Test(
        "A number is whole without a fraction, and null where JSON has none",
        arguments: [
            (0, "0"), (-0.0, "0"), (1, "1"), (-2, "-2"), (0.1, "0.1"), (9_007_199_254_740_991, "9007199254740991"),
            (0x1p53, "9007199254740992.0"), (1e300, "1e+300"), (.nan, "null"), (.infinity, "null"),
        ] as [(Double, String)])
    func numbers(value: Double, text: String) {
        var json = JSONWriter()
        json.number(value)
        #expect(json.text == text)
    }
}
