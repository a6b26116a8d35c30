import Testing

@testable import JSON

@Suite("JSONTexts")
struct JSONTextsTests {
    private static func text(_ json: String, _ name: String = "text") -> String? {
        JSONTexts(of: Array(json.utf8)[...], names: ["type", name])?.bytes(name).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test(
        "Finds the object's own text members, whatever stands between them",
        arguments: [
            (#"{"text":"a"}"#, "a"), (" {\n\"n\" : -1.5e3 ,\t\"text\" : \"a\" } \r\n", "a"),
            (#"{"a":{"text":"no"},"b":["{","}",{"c":[[]]}],"text":"yes","d":null,"e":true}"#, "yes"),
            (#"{"a":"\"text\":\"no\\","text":"yes"}"#, "yes"), (#"{"text":"a","text":"b"}"#, "b"),
            (#"{"a":"{\"text\":1}"}"#, nil), (#"{}"#, nil), (#"{"text":"a","text":1}"#, nil),
            (#"{"text":{"text":"a"}}"#, nil), (#"{"Text":"a"}"#, nil), (#"{"t\u0065xt":"a"}"#, nil),
        ] as [(String, String?)])
    func finds(json: String, text: String?) {
        #expect(Self.text(json) == text)
    }

    @Test(
        "What is not one object is nothing",
        arguments: [
            "", " ", "text", #""text""#, #"["text"]"#, "{", "}", #"{"text":"a""#, #"{"text":"a"}}"#, #"{"text":"a"} x"#,
            #"{"text":"a"}{"text":"b"}"#, #"{"text":"a",}"#, #"{,"text":"a"}"#, #"{"text" "a"}"#, #"{"text":}"#,
            #"{text:"a"}"#, #"{"text":"a"#, #"{"text":"a\"#, #"{"a":[,"text":"a"}"#, "{\"text\":\"a\nb\"}",
            #"{"a":1"b","text":"a"}"#,
        ])
    func refuses(json: String) {
        #expect(JSONTexts(of: Array(json.utf8)[...], names: ["text"]) == nil)
    }

    @Test(
        "Escapes are read as RFC 8259 has them",
        arguments: [
            (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"), (#"\u00fc\u0000"#, "ü\0"), (#"\ud83d\ude00"#, "😀"),
            (#"\uD83D\uDE00!"#, "😀!"), ("ü😀", "ü😀"), (#"\ud83d"#, nil), (#"\ude00\ud83d"#, nil), (#"\ud83dx"#, nil),
            (#"\ud83d\u0041"#, nil), (#"\u12"#, nil), (#"\u12g4"#, nil), (#"\x"#, nil),
        ] as [(String, String?)])
    func unescapes(text: String, expected: String?) {
        #expect(Self.text(#"{"text":"\#(text)"}"#) == expected)
    }

    @Test(
        "Reads on to the limit and no further",
        arguments: [(2, "ab"), (3, "abü"), (4, "abü"), (5, "abüc"), (99, "abüc")])
    func limits(limit: Int, expected: String) {
        let texts = JSONTexts(of: Array(#"{"text":"ab\u00fcc"}"#.utf8)[...], names: ["text"])
        #expect(texts?.bytes("text", limit: limit) == Array(expected.utf8))
    }

    @Test("A hundred thousand lists in each other are passed over like anything else", .timeLimit(.minutes(5)))
    func deep() {
        let depth = 100_000
        let lists = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        for _ in 0..<20 {
            #expect(Self.text(#"{"a":\#(lists),"text":"b"}"#) == "b")
            #expect(Self.text(#"{"a":\#(lists.dropLast()),"text":"b"}"#) == nil)
        }
    }
}
