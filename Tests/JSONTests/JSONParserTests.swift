import Foundation
import Testing
import TestRandom

@testable import JSON

@Suite("JSONParser")
struct JSONParserTests {
    @Test(
        "reads what RFC 8259 allows",
        arguments: [
            ("null", JSONValue.null), (" true\r\n", .boolean(true)), ("\tfalse ", .boolean(false)), ("0", .integer(0)),
            ("18446744073709551615", .integer(.max)), ("18446744073709551616", .number(0x1p64)),
            ("-12.50e+2", .number(-1250)), ("1E-2", .number(0.01)), ("1e999", .number(.infinity)),
            ("\"\"", .string("")), ("\"é鍵\u{7f}\"", .string("é鍵\u{7f}")),
            (#""\"\\\/\b\f\n\r\t\u00e9\u0000""#, .string("\"\\/\u{8}\u{c}\n\r\t\u{e9}\u{0}")),
            (#""ab\ncd\\""#, .string("ab\ncd\\")), (#""é\/鍵""#, .string("é/鍵")),
            (#""\uD83D\ude00""#, .string("😀")), ("[]", .array([])), ("[ 1 , [ ] ]", .array([.integer(1), .array([])])),
            ("{}", .object([:])), (#"{ "a" : { "b" : null } }"#, .object(["a": .object(["b": .null])])),
        ])
    func valid(text: String, value: JSONValue) throws {
        #expect(try JSONParser.parse(Array(text.utf8)) == value)
    }

    @Test(
        "a whole number below 2^64 is one however it is written, as JSON Schema reads it",
        arguments: [
            ("1.0", JSONValue.integer(1)), ("1e0", .integer(1)), ("1.5e1", .integer(15)), ("10e-1", .integer(1)),
            ("-0", .integer(0)), ("0.0", .integer(0)), ("18446744073709549568.0", .integer(18_446_744_073_709_549_568)),
            ("18446744073709551615.0", .number(0x1p64)), ("1.5", .number(1.5)), ("-1.0", .number(-1)),
        ])
    func whole(text: String, value: JSONValue) throws {
        #expect(try JSONParser.parse(Array(text.utf8)) == value)
    }

    @Test(
        "refuses what it does not allow",
        arguments: [
            "", " ", "nul", "nulll", "True", "+1", "01", "-", "1.", ".5", "1e", "1e+", "0x1", "1 2", "Infinity", "NaN",
            "\"",
            "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"",
            "\"\\ud800x\"",
            "\"\n\"", "\"ab\u{1f}c\"", "\"a\\nb\u{1f}c\"", "\"a\\nb", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{",
            "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,",
            "{\"a\":1,}",
            "{a:1}", "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "]", "}", "[}", "{]", "//", "'a'", "\u{feff}{}",
            "\u{a0}1", "1,",
        ])
    func invalid(text: String) {
        #expect(throws: JSONError.malformed) { try JSONParser.parse(Array(text.utf8)) }
    }

    @Test("nests 32 deep and no deeper", arguments: [31, 32, 33, 65_536])
    func depth(count: Int) {
        for (opening, closing) in [("[", "]"), ("{\"a\":", "}")] {
            let inner = opening == "[" ? "" : "0"
            // The innermost object holds a value, which is one level more.
            let levels = opening == "[" ? count + 1 : count
            let text = String(repeating: opening, count: levels) + inner + String(repeating: closing, count: levels)
            let isRead = (try? JSONParser.parse(Array(text.utf8))) != nil
            #expect(isRead == (count <= 32), "\(opening) \(count)")
        }
    }

    @Test("what it accepts, Foundation reads as the same; nothing traps")
    func mutations() throws {
        var random = SeededRandom()
        let seed = random.seed
        let sample = Array(#"{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00\n",null,true,{"b":{}}],"é":"","c":false}"#.utf8)
        let alphabet = Array("{}[]\",:\\u0123edD8c-+. \n".utf8) + [0, 0x80, 0xC3, 0xFF]
        var accepted = 0
        for _ in 0..<30_000 {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
                let position = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: position)
                case 1: bytes.insert(alphabet[Int.random(in: 0..<alphabet.count, using: &random)], at: position)
                case 2: bytes[position] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                default: bytes.removeSubrange(position...)
                }
            }
            guard let value = try? JSONParser.parse(bytes) else { continue }
            accepted += 1
            let reference = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            #expect(
                reference.map { Self.isSame(value, $0) } == true,
                "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(accepted > 500, "seed \(seed)")
    }

    private static func isSame(_ value: JSONValue, _ reference: Any) -> Bool {
        switch (value, reference) {
        case (.null, is NSNull): true
        case (.boolean(let value), let reference as Bool): value == reference
        case (.integer(let value), let reference as NSNumber): Double(value) == reference.doubleValue
        case (.number(let value), let reference as NSNumber): value == reference.doubleValue || value.isInfinite
        case (.string(let value), let reference as String): value == reference
        case (.array(let values), let reference as [Any]):
            values.count == reference.count && zip(values, reference).allSatisfy { isSame($0, $1) }
        case (.object(let members), let reference as [String: Any]):
            members.count == reference.count
                && members.allSatisfy { name, value in reference[name].map { isSame(value, $0) } == true }
        default: false
        }
    }
}
