import KasiaProtocol
import Kaspa
import Testing

@Suite("Group payloads")
struct GroupPayloadTests {
    private static let key = String(repeating: "aB", count: 32)

    /// The text of the seven fields, with one replaced.
    private func text(_ replaced: Int? = nil, by field: String = "") -> String {
        var fields = [
            Self.key, "7", String(repeating: "cd", count: 32), String(repeating: "ef", count: 32),
            String(repeating: "01", count: 24), "beef", String(repeating: "23", count: 64),
        ]
        if let replaced { fields[replaced] = field }
        return "ciph_msg:1:gcomm:" + fields.joined(separator: ":")
    }

    private func classify(_ text: String) -> PayloadClassification {
        PayloadGrammar.classify(Array(text.utf8))
    }

    private func readGroup(_ text: String) -> GroupFields? {
        guard case .operation(let operation) = classify(text) else { return nil }
        return operation.group
    }

    @Test("digits of either case are read, and mean the same bytes")
    func digitCase() throws {
        let group = try #require(readGroup(text()))
        #expect(Hex.encode(group.blindedGroupID) == Self.key.lowercased())
        #expect(readGroup(text(0, by: Self.key.uppercased()))?.blindedGroupID == group.blindedGroupID)
    }

    @Test("a field of fixed length has that length", arguments: [(0, 64), (2, 64), (3, 64), (4, 48), (6, 128)])
    func fixedLengths(field: Int, digits: Int) {
        for count in [0, 1, digits - 2, digits - 1, digits, digits + 1, digits + 2, 2 * digits] {
            let text = text(field, by: String(repeating: "a", count: count))
            #expect((classify(text) == .malformed(.groupMessage)) == (count != digits))
        }
    }

    @Test(
        "a field of digits has nothing else in it", arguments: [(0, 64), (2, 64), (3, 64), (4, 48), (5, 4), (6, 128)])
    func digits(field: Int, digits: Int) {
        for foreign in ["g", " ", "\u{0}", "/", "@", "`", "|"] {
            for position in [0, digits / 2, digits - 1] {
                var characters = [String](repeating: "a", count: digits)
                characters[position] = foreign
                #expect(classify(text(field, by: characters.joined())) == .malformed(.groupMessage))
            }
        }
    }

    @Test(
        "an epoch is 1 to 20 decimal digits and fits in 64 bits",
        arguments: [
            ("0", 0), ("18446744073709551615", .max), ("18446744073709551616", nil), ("99999999999999999999", nil),
            ("184467440737095516150", nil), ("00000000000000000007", 7), ("000000000000000000007", nil), ("", nil),
            ("-1", nil), ("+1", nil), ("1a", nil), (" 1", nil), ("1 ", nil), ("0x1", nil), ("1.0", nil),
            (String(repeating: "1", count: 100_000), nil),
        ] as [(String, UInt64?)])
    func epochs(epoch: String, expected: UInt64?) {
        #expect(readGroup(text(1, by: epoch))?.epoch == expected)
    }

    @Test("a ciphertext is not empty and has an even count of digits", arguments: [0, 1, 2, 3, 4, 99_999, 100_000])
    func ciphertexts(count: Int) {
        let group = readGroup(text(5, by: String(repeating: "a", count: count)))
        #expect((group != nil) == (count > 0 && count.isMultiple(of: 2)))
    }

    @Test("there are seven fields, no more and no fewer, however they are cut")
    func fieldCounts() {
        let good = Array(text().utf8)
        #expect(classify(text() + ":") == .malformed(.groupMessage))
        #expect(classify(text() + ":aa") == .malformed(.groupMessage))
        for count in "ciph_msg:1:gcomm:".utf8.count..<good.count {
            #expect(PayloadGrammar.classify(Array(good.prefix(count))) == .malformed(.groupMessage))
        }
    }

    @Test("a group message names the address whose key it claims, of either kind of key")
    func namesSender() throws {
        let group = try #require(readGroup(text()))
        let key = [UInt8](repeating: 0xef, count: 32)
        let named = try #require(Address(prefix: .kaspa, version: .schnorr, payload: key))
        let namedToo = try #require(Address(prefix: .kaspa, version: .ecdsa, payload: [3] + key))
        let script = try #require(Address(prefix: .kaspa, version: .scriptHash, payload: key))
        let other = try #require(Address(prefix: .kaspa, version: .schnorr, payload: key.dropLast() + [0]))
        #expect([named, namedToo, script, other].map(group.namesSender) == [true, true, false, false])
    }

    @Test(
        "a group control's body is hexadecimal, and addressed only after exactly 64 digits and a colon",
        arguments: [
            ("beef", nil, "beef"), ("BEEF", nil, "BEEF"), ("\(key):beef", key, "beef"), (key, nil, key),
            ("\(key)aa", nil, "\(key)aa"), ("", nil, nil), ("b", nil, nil), ("bee", nil, nil), ("beeg", nil, nil),
            ("\(key):", nil, nil), ("\(key):b", nil, nil), ("\(key):beef:", nil, nil), ("\(key)::beef", nil, nil),
            ("\(key.dropLast()):beef", nil, nil), ("\(key)a:beef", nil, nil), ("\(key)aa:beef", nil, nil),
            (":beef", nil, nil), ("\(key.dropLast())g:beef", nil, nil), ("\(key):\(key):beef", nil, nil),
            ("aa:bb", nil, nil),
        ] as [(String, String?, String?)])
    func groupControl(rest: String, recipient: String?, body: String?) {
        let text = "kchat:1:gctl:\(rest)"
        guard case .operation(let operation) = classify(text) else {
            #expect(body == nil)
            #expect(classify(text) == .malformed(.groupControl))
            return
        }
        #expect(operation.recipient.map { Hex.encode($0) } == recipient?.lowercased())
        #expect(String(decoding: Array(text.utf8)[operation.body], as: UTF8.self) == body)
    }
}
