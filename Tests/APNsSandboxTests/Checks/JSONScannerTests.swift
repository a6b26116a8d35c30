import FoundationEssentials
import Testing

@testable import APNsSandbox

@Suite("The JSON scanner")
struct JSONScannerTests {
    @Test(
        "takes every form of JSON",
        arguments: [
            #"{"aps":{}}"#, #" { "aps" : { "a" : [ 1 , -0.5e+3 , 0 , "x\n\u00e9" , true , false , null ] } } "#,
            #"{"a":[],"aps":{"alert":"ü"}}"#, #"{"aps":[],"aps":{}}"#,
        ])
    func acceptsJSON(_ text: String) {
        #expect(JSONScanner.isNotification(Array(text.utf8)))
    }

    @Test(
        "refuses what is none",
        arguments: [
            "", "{", "}", "{}", "[]", "null", #"{"aps":{}"#, #"{"aps":{}}x"#, #"{"aps":{},}"#, #"{"aps":{"a":01}}"#,
            #"{"aps":{"a":1.}}"#, #"{"aps":{"a":-}}"#, #"{"aps":{"a":1e}}"#, #"{"aps":{"a":tru}}"#,
            #"{"aps":{"a":"\x"}}"#, #"{"aps":{"a":"\u12g4"}}"#, "{\"aps\":{\"a\":\"\n\"}}", #"{"aps":{"a" 1}}"#,
            #"{"aps":{"a":[1 2]}}"#, #"{"aps":{a:1}}"#, #"{"aps":{"a":"#, #"{"aps":{},"aps":1}"#,
        ])
    func refusesOthers(_ text: String) {
        #expect(!JSONScanner.isNotification(Array(text.utf8)))
    }

    @Test(
        "knows an object from everything else",
        arguments: [
            ("{}", true), (#" { "a" : [ 1 ] } "#, true), ("[]", false), ("[{}]", false), ("1", false), ("", false),
            ("{", false), ("{}x", false),
        ])
    func objects(text: String, isObject: Bool) {
        #expect(JSONScanner.isObject(Array(text.utf8)) == isObject)
        #expect(!JSONScanner.isObject(Array(text.utf8) + [0xFF]))
    }

    @Test("refuses bytes that are no UTF-8")
    func refusesBadText() {
        #expect(!JSONScanner.isNotification(Array(#"{"aps":{"a":""#.utf8) + [0xFF] + Array(#""}}"#.utf8)))
    }

    @Test(
        "goes a hundred levels deep and no further",
        arguments: [(98, true), (99, true), (100, false), (100_000, false)])
    func boundsDepth(levels: Int, accepted: Bool) {
        let nest = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        #expect(JSONScanner.isNotification(Array(#"{"aps":{},"x":\#(nest)}"#.utf8)) == accepted)
    }

    @Test("says where the fault is")
    func findsFault() throws {
        let position = try #require(JSONScanner.faultPosition(in: Array("{\"a\": 1,\n  b: 2}".utf8)))
        #expect(position == (2, 3))
        #expect(JSONScanner.faultPosition(in: Array("[1, 2]".utf8)) == nil)
    }

    @Test("agrees with Foundation on ten thousand mutations")
    func agreesWithFoundation() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(seed: seed)
        let sample = Array(#"{"aps":{"alert":{"title":"Ü\u00e9"},"n":[1,-2.5e3,true,null]},"k":"v"}"#.utf8)
        let alphabet = Array("{}[]\",:\\u0123eE+-. tfn".utf8)
        for _ in 0..<10_000 {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.remove(at: index)
                case 1: bytes.insert(alphabet[Int.random(in: 0..<alphabet.count, using: &random)], at: index)
                default: bytes[index] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                }
            }
            guard let text = String(validating: bytes, as: UTF8.self) else { continue }
            let isJSON = (try? JSONDecoder().decode(AnyValue.self, from: Data(bytes))) != nil
            // Foundation allows a comma before a bracket, and refuses lone surrogates: both unlike the grammar.
            let dense = text.filter { $0 != " " }
            if [",}", ",]", "\\ud", "\\uD"].contains(where: dense.contains) { continue }
            // It refuses numbers beyond a Double's range too, which the grammar has.
            if dense.contains(#/[eE]\+?[0-9]{3}/#) { continue }
            let comment = Comment(rawValue: "seed \(seed): \(text)")
            #expect((JSONScanner.faultPosition(in: bytes) == nil) == isJSON, comment)
        }
    }

    /// Reads everything: Foundation looks at a number or a text only when it is asked for.
    private struct AnyValue: Decodable {
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            if let object = try? decoder.container(keyedBy: Key.self) {
                for key in object.allKeys { _ = try object.decode(AnyValue.self, forKey: key) }
            } else if var array = try? decoder.unkeyedContainer() {
                while !array.isAtEnd { _ = try array.decode(AnyValue.self) }
            } else {
                let value = try decoder.singleValueContainer()
                if value.decodeNil() || (try? value.decode(Bool.self)) != nil { return }
                if (try? value.decode(String.self)) != nil { return }
                _ = try value.decode(Double.self)
            }
        }
    }
}
