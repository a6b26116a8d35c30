import Kaspa
import Testing

@Suite("Hashes")
struct HashTests {
    static let hex = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

    @Test("a hash is read from text of either case and written in lower case")
    func text() throws {
        let hash = try #require(Hash(Self.hex))
        #expect(hash.bytes == Array(0..<32))
        #expect(hash.description == Self.hex)
        #expect(Hash(Self.hex.uppercased()) == hash)
        #expect(Hash(hexUTF8: Array(Self.hex.utf8)) == hash)
        #expect(Hash(hexUTF8: Array("x\(Self.hex)x".utf8).dropFirst().dropLast()) == hash)
    }

    @Test(
        "anything but 64 digits is refused",
        arguments: [
            "", "00", String(hex.dropLast()), "\(hex)0", String(hex.dropLast(2)), "\(hex)00", "0x\(hex.dropFirst(2))",
            "\(hex.dropLast())g", "\(hex.dropLast()) ", "\(hex.dropLast(2))é", "\(hex.dropLast())/",
            "\(hex.dropLast()):", "\(hex.dropLast())@", "\(hex.dropLast())`",
        ])
    func refusedText(text: String) {
        #expect(Hash(text) == nil)
        #expect(Hash(hexUTF8: Array(text.utf8)) == nil)
    }

    @Test("exactly 32 bytes are taken", arguments: [0, 31, 32, 33, 64])
    func byteCount(count: Int) {
        let bytes = [UInt8](repeating: 0xa5, count: count)
        #expect((Hash(bytes: bytes) != nil) == (count == Hash.byteCount))
        #expect((Hash(bytes: AnyCollection(bytes)) != nil) == (count == Hash.byteCount))
    }

    @Test("bytes survive, from contiguous storage and from any other collection")
    func bytes() {
        let bytes: [UInt8] = (0..<32).map { $0 &* 37 &+ 200 }
        #expect(Hash(bytes: bytes)?.bytes == bytes)
        #expect(Hash(bytes: bytes.lazy.map { $0 })?.bytes == bytes)
        #expect(Hash(bytes: ([1] + bytes).dropFirst())?.bytes == bytes)
        var buffer: [UInt8] = [9]
        Hash(bytes: bytes)?.append(to: &buffer)
        #expect(buffer == [9] + bytes)
    }

    @Test("hashes are ordered like their bytes, each position weighing more than all after it")
    func order() throws {
        let zero = [UInt8](repeating: 0, count: 32)
        for position in 0..<32 {
            var small = zero
            small[position] = 0x7f
            for later in position + 1..<max(32, position + 1) { small[later] = 0xff }
            var great = zero
            great[position] = 0x80
            let (left, right) = (try #require(Hash(bytes: small)), try #require(Hash(bytes: great)))
            #expect(left < right)
            #expect(!(right < left))
            #expect(left.description < right.description)
        }
        #expect(!(Hash.zero < Hash.zero))
    }

    @Test("zero is 32 zero bytes, and a hash takes no more room than that")
    func zero() {
        #expect(Hash.zero.bytes == [UInt8](repeating: 0, count: 32))
        #expect(Hash.zero.description == String(repeating: "0", count: 64))
        #expect(MemoryLayout<Hash>.size == 32)
    }

    @Test("equal bytes are one member of a set")
    func equality() throws {
        let hash = try #require(Hash(Self.hex))
        #expect(Set([hash, try #require(Hash(hash.description)), .zero]).count == 2)
    }
}
