import SwiftProtobuf
import Testing

@testable import KaspaNode

/// Each limit of the wire format, on both sides of it, with swift-protobuf as the judge.
@Suite struct WireReaderTests {
    /// Whether the scanner takes the bytes; it must agree with swift-protobuf.
    private static func takes(_ bytes: [UInt8]) -> Bool {
        let isTaken = (try? Protowire_KaspadResponse(serializedBytes: bytes)) != nil
        #expect(ScanOracle.disagreement(on: bytes, EveryScript()) == nil)
        return isTaken
    }

    /// A virtual-chain answer with these fields in it.
    private static func answer(_ fields: [UInt8]) -> [UInt8] {
        [0xda, 0x45, UInt8(fields.count & 0x7f) | 0x80, UInt8(fields.count >> 7)] + fields
    }

    /// Groups in each other, as an unknown field.
    private static func groups(_ depth: Int) -> [UInt8] {
        [UInt8](repeating: 15 << 3 | 3, count: depth) + [UInt8](repeating: 15 << 3 | 4, count: depth)
    }

    @Test("A number has at most ten bytes")
    func varints() {
        for count in 0...11 {
            let number = [UInt8](repeating: 0xff, count: count) + [0x7f]
            #expect(Self.takes(Self.answer([15 << 3] + number)) == (count < 10), "\(count + 1) bytes")
            #expect(!Self.takes(Self.answer([15 << 3] + number.dropLast())), "\(count) bytes without an end")
        }
    }

    @Test("A tag has at most five bytes and a number that is not 0; in groups it may be longer")
    func tags() {
        for count in 0...5 {
            let tag = [0x80 | 15 << 3 & 0x7f] + [UInt8](repeating: 0x80, count: count) + [0]
            #expect(Self.takes(Self.answer(tag + [7])) == (count < 4), "\(count + 2) bytes")
            #expect(Self.takes(Self.answer([0x7b] + tag + [7, 0x7c])), "\(count + 2) bytes in a group")
        }
        for tag: [UInt8] in [[0], [1], [2], [7], [6], [0x80, 0], [0x80, 0x80, 0x80, 0x80, 0x10]] {
            #expect(!Self.takes(Self.answer(tag + [0, 0, 0, 0, 0, 0, 0, 0])), "\(tag)")
        }
        #expect(Self.takes(Self.answer([0xf8, 0xff, 0xff, 0xff, 0x0f, 1])), "the greatest number")
        for type: UInt8 in 6...7 { #expect(!Self.takes(Self.answer([15 << 3 | type, 0]))) }
    }

    @Test("Messages and groups stand in each other a hundred deep and no deeper", arguments: 97...100)
    func depth(levels: Int) {
        // The response and the answer are two.
        #expect(Self.takes(Self.answer(Self.groups(levels))) == (levels <= 98))
        // A chain block, its transaction, an output, its script: four more.
        var fields = Self.groups(levels - 4)
        for tag: UInt8 in [3 << 3 | 2, 4 << 3 | 2, 3 << 3 | 2, 3 << 3 | 2] {
            fields = [tag, UInt8(fields.count & 0x7f) | 0x80, UInt8(fields.count >> 7)] + fields
        }
        #expect(Self.takes(Self.answer(fields)) == (levels <= 98))
    }

    @Test("The same in transactions that are kept and in errors of the node", arguments: 97...100)
    func depthOfKept(levels: Int) {
        let payload = Array("636970685f6d73673a00".utf8)
        var fields = [8 << 3 | 2, UInt8(payload.count)] + payload + Self.groups(levels - 2)
        for tag: UInt8 in [3 << 3 | 2, 3 << 3 | 2] {
            fields = [tag, UInt8(fields.count & 0x7f) | 0x80, UInt8(fields.count >> 7)] + fields
        }
        #expect(Self.takes(Self.answer(fields)) == (levels <= 98))
        let error = Self.groups(levels - 1)
        #expect(
            Self.takes(Self.answer([0xc2, 0x3e, UInt8(error.count & 0x7f) | 0x80, UInt8(error.count >> 7)] + error))
                == (levels <= 98))
    }

    @Test("A group must end, where it is, as itself")
    func groups() {
        #expect(Self.takes(Self.answer([0x7b, 0x7c])))
        for fields: [UInt8] in [[0x7c], [0x7b], [0x7b, 0x74], [0x7b, 0x7c, 0x7c], [0x7b, 8], [0x7b, 0, 0x7c]] {
            #expect(!Self.takes(Self.answer(fields)), "\(fields)")
        }
    }

    @Test("A value must end within its message", arguments: [(1, 8), (5, 4)])
    func fixed(type: UInt8, count: Int) {
        for present in 0...count {
            let fields = [15 << 3 | type] + [UInt8](repeating: 1, count: present)
            #expect(Self.takes(Self.answer(fields)) == (present == count))
        }
    }

    @Test("A length may reach to the end of the message and no further")
    func lengths() {
        for length in 2...4 as ClosedRange<UInt8> {
            #expect(Self.takes(Self.answer([15 << 3 | 2, length, 1, 1, 1])) == (length == 3), "\(length)")
        }
        #expect(!Self.takes(Self.answer([15 << 3 | 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1])))
    }

    @Test("Nothing is a message without fields")
    func empty() {
        #expect(Self.takes([]))
        #expect(Self.takes(Self.answer([])))
    }
}
