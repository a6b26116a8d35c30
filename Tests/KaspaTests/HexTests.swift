import Kaspa
import Testing

@Suite("Hexadecimal")
struct HexTests {
    @Test("every byte is written as two lower-case digits and read back from either case")
    func allBytes() {
        for byte in UInt8.min...UInt8.max {
            let expected = (byte < 16 ? "0" : "") + String(byte, radix: 16)
            #expect(Hex.encode([byte]) == expected)
            #expect(Hex.decode(expected) == [byte])
            #expect(Hex.decode(expected.uppercased()) == [byte])
        }
    }

    @Test("digits are added to what is there, the same ones")
    func append() {
        let bytes = (0...255).map { UInt8($0) }
        for slice in [bytes[...], bytes[3..<17], []] {
            var text = Array("x".utf8)
            Hex.append(slice, to: &text)
            #expect(text == Array("x\(Hex.encode(slice))".utf8))
        }
    }

    @Test("any number of bytes is written, nothing before or behind them", arguments: [0, 1, 7, 8, 9, 15, 16, 17, 33])
    func counts(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 0x9f) }
        let expected = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(Hex.encode(bytes) == expected)
        var text: [UInt8] = []
        Hex.append(bytes[...], to: &text)
        #expect(text == Array(expected.utf8))
    }

    @Test("a sequence without contiguous storage is written too")
    func sequences() {
        #expect(Hex.encode(stride(from: UInt8(1), through: 3, by: 1)) == "010203")
        #expect(Hex.encode([UInt8]()) == "")
        #expect(Hex.encode([0xde, 0xad, 0xbe, 0xef][1...2]) == "adbe")
        #expect(Hex.decode("") == [])
        #expect(Hex.decode("DeadBeef".utf8) == [0xde, 0xad, 0xbe, 0xef])
    }

    @Test(
        "an odd count or a foreign character is refused", arguments: ["a", "abc", "0g", "g0", " 0", "0x00", "é", "+1"])
    func refused(text: String) {
        #expect(Hex.decode(text) == nil)
    }

    @Test("only the 22 digits are digits")
    func digits() {
        for character in UInt8.min...UInt8.max {
            let expected =
                character < 128 ? Character(UnicodeScalar(character)).hexDigitValue.map(UInt8.init) : nil
            #expect(Hex.digit(character) == expected)
        }
    }
}
