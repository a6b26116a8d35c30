import KaspadReplay

/// Writes a message anew, in other ways that protobuf allows: fields in any order, in several parts, repeated, among
/// unknown ones, with needlessly long numbers.
///
/// It knows no schema: what looks like a message is treated as one.
struct WireScrambler {
    var random: SeededRandom

    mutating func scramble(_ bytes: [UInt8]) -> [UInt8] {
        guard let fields = WireFields.parse(bytes) else { return bytes }
        var written: [[UInt8]] = []
        for field in fields {
            for value in parts(of: field) { written.append(encode(field, value)) }
            if random.chance(0.05) { written.append(written[random.number(below: written.count)]) }
            if random.chance(0.1) { written.append(unknownField(depth: 0)) }
        }
        if random.chance(0.3) { shuffle(&written) }
        return Array(written.joined())
    }

    /// Damages a message in one to three places.
    mutating func damage(_ message: [UInt8]) -> [UInt8] {
        var bytes = message
        for _ in 0..<random.number(in: 1...3) where !bytes.isEmpty {
            let place = random.number(below: bytes.count)
            switch random.number(below: 6) {
            case 0: bytes[place] ^= 1 << UInt8(random.number(below: 8))
            case 1: bytes[place] = UInt8(truncatingIfNeeded: random.next())
            case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
            case 3: bytes.remove(at: place)
            case 4: bytes[place] = 0xff
            default:
                let end = min(bytes.count, place + random.number(below: 40))
                bytes.insert(contentsOf: bytes[place..<end], at: random.number(below: bytes.count))
            }
        }
        return bytes
    }

    /// The value of a field, scrambled and sometimes in two parts.
    private mutating func parts(of field: WireFields) -> [[UInt8]] {
        guard field.type == 2, !field.value.isEmpty, let inner = WireFields.parse(field.value) else {
            return [field.value]
        }
        guard random.chance(0.2) else { return [scramble(field.value)] }
        let middle = random.number(below: inner.count + 1)
        return [Array(inner[..<middle]), Array(inner[middle...])].map { half in
            scramble(Array(half.map { encode($0, $0.value) }.joined()))
        }
    }

    private mutating func encode(_ field: WireFields, _ value: [UInt8]) -> [UInt8] {
        let tag = varint(field.number << 3 | UInt64(field.type), longest: 5)
        return tag + (field.type == 2 ? varint(UInt64(value.count), longest: 10) : []) + value
    }

    private mutating func unknownField(depth: Int) -> [UInt8] {
        let number = UInt64(random.chance(0.5) ? random.number(in: 1...40) : random.number(in: 1...((1 << 29) - 1)))
        let type = random.number(below: depth < 3 ? 6 : 3)
        switch type {
        case 0: return varint(number << 3, longest: 5) + varint(random.next(), longest: 10)
        case 1: return varint(number << 3 | 1, longest: 5) + random.bytes(8)
        case 2:
            let value = random.bytes(random.number(below: 6))
            return varint(number << 3 | 2, longest: 5) + varint(UInt64(value.count), longest: 10) + value
        case 5: return varint(number << 3 | 5, longest: 5) + random.bytes(4)
        default:
            let inner = (0..<random.number(below: 3)).map { _ in unknownField(depth: depth + 1) }.joined()
            // Within groups tags may be as long as other numbers.
            return varint(number << 3 | 3, longest: 5) + inner + varint(number << 3 | 4, longest: 10)
        }
    }

    private mutating func varint(_ value: UInt64, longest: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        repeat {
            bytes.append(UInt8(rest & 0x7f))
            rest >>= 7
        } while rest > 0
        if random.chance(0.05), bytes.count < longest {
            bytes += [UInt8](repeating: 0, count: random.number(in: 1...(longest - bytes.count)))
        }
        for index in bytes.indices.dropLast() { bytes[index] |= 0x80 }
        return bytes
    }

    private mutating func shuffle(_ fields: inout [[UInt8]]) {
        for index in fields.indices.reversed() { fields.swapAt(index, random.number(below: index + 1)) }
    }
}
