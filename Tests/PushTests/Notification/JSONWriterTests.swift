import Foundation
import Testing

@testable import Push

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
}
