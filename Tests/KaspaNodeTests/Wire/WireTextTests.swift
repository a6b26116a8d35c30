import Kaspa
import KasiaProtocol
import Testing

@testable import KaspaNode

@Suite struct WireTextTests {
    @Test("UTF-8 is told from other bytes at any place and length")
    func validity() {
        for count in 0...70 {
            let text = [UInt8](repeating: 0x61, count: count)
            #expect(text.withUnsafeBytes { WireText.isValid($0) })
            for place in 0..<count {
                for byte: UInt8 in [0x80, 0xc3, 0xff] {
                    var damaged = text
                    damaged[place] = byte
                    #expect(!damaged.withUnsafeBytes { WireText.isValid($0) }, "\(byte) at \(place) of \(count)")
                }
                guard place + 1 < count else { continue }
                var accented = text
                accented.replaceSubrange(place...place + 1, with: [0xc3, 0xa9])
                #expect(accented.withUnsafeBytes { WireText.isValid($0) }, "é at \(place) of \(count)")
            }
        }
    }

    @Test("A payload is ours when it goes on behind a root", arguments: PayloadGrammar.roots)
    func payloads(root: [UInt8]) {
        let digits = Array(Hex.encode(root + [0x31]).utf8)
        for count in 0...digits.count {
            let isOurs = digits[..<count].withUnsafeBytes { WireText.isOurs($0) }
            #expect(isOurs == (count > root.count * 2), "\(count) digits")
        }
        let capitals = Array(Hex.encode(root + [0x31]).uppercased().utf8)
        #expect(capitals.withUnsafeBytes { WireText.isOurs($0) })
        for place in 0..<root.count * 2 {
            for wrong: UInt8 in [digits[place] ^ 1, digits[place] ^ 0x10, digits[place] ^ 0x80] {
                var other = digits
                other[place] = wrong
                #expect(!other.withUnsafeBytes { WireText.isOurs($0) }, "\(wrong) at \(place)")
            }
        }
    }

    @Test("A filter is asked for a script's bytes, up to the longest that has an address")
    func scripts() {
        for count in 0...40 {
            let script = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 0xa5) }
            let filter = ScriptSet([script])
            let text = Array(Hex.encode(script).utf8)
            let isWatched = (1...35).contains(count)
            #expect(text.withUnsafeBytes { WireText.isWatched($0, filter) } == isWatched, "\(count) bytes")
            let capitals = Array(Hex.encode(script).uppercased().utf8)
            #expect(capitals.withUnsafeBytes { WireText.isWatched($0, filter) } == isWatched, "\(count) bytes")
            #expect(!text.withUnsafeBytes { WireText.isWatched($0, ScriptSet([[1, 2]])) })
            #expect(!text.dropLast().withUnsafeBytes { WireText.isWatched($0, EveryScript()) }, "half a byte")
            for place in text.indices {
                var damaged = text
                for byte: UInt8 in [0x67, 0x2f, 0x3a, 0x40, 0xff, 0] {
                    damaged[place] = byte
                    #expect(!damaged.withUnsafeBytes { WireText.isWatched($0, EveryScript()) })
                }
            }
        }
    }

    @Test("The longest script that has an address is the bound", arguments: Address.Version.allCases)
    func bound(version: Address.Version) throws {
        let key = [UInt8](repeating: 7, count: version.payloadByteCount)
        let address = try #require(Address(prefix: .kaspa, version: version, payload: key))
        #expect(Script(paying: address).bytes.count <= WireText.maximumScriptBytes)
    }
}
