/// The base32 of addresses: five bits a character, no padding characters.
enum Base32 {
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

    /// The value of each ASCII character, 255 for those outside the alphabet.
    private static let valueByCharacter: [UInt8] = {
        var table = [UInt8](repeating: 255, count: 128)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }()

    /// The character for a value; only the low five bits count.
    static func character(_ value: UInt8) -> UInt8 {
        alphabet[Int(value & 0x1f)]
    }

    /// The values of lower-case text; nil if a character is outside the alphabet.
    static func values(of text: some Collection<UInt8>) -> [UInt8]? {
        var values: [UInt8] = []
        values.reserveCapacity(text.count)
        for character in text {
            guard character < 128, valueByCharacter[Int(character)] < 32 else { return nil }
            values.append(valueByCharacter[Int(character)])
        }
        return values
    }

    /// Cuts bytes into values of five bits, the last one filled up with zeros.
    static func values(from bytes: [UInt8]) -> [UInt8] {
        regroup(bytes, from: 8, to: 5).whole
    }

    /// Joins values of five bits to bytes; nil if what is left over is a whole value or not zero, for then another
    /// text would mean the same bytes.
    static func bytes(from values: some Collection<UInt8>) -> [UInt8]? {
        let spare = values.count * 5 % 8
        let (whole, last) = regroup(values, from: 5, to: 8)
        guard spare < 5, last == 0 else { return nil }
        return spare == 0 ? whole : whole.dropLast()
    }

    /// Reads groups of `from` bits and writes groups of `to` bits, the last one filled up with zeros if it is not full;
    /// `last` is that unfinished group, or 0.
    private static func regroup(
        _ groups: some Collection<UInt8>, from: Int, to: Int
    ) -> (whole: [UInt8], last: UInt8) {
        var result: [UInt8] = []
        result.reserveCapacity((groups.count * from + to - 1) / to)
        var pending: UInt32 = 0
        var bits = 0
        for group in groups {
            pending = pending << UInt32(from) | UInt32(group)
            bits += from
            while bits >= to {
                bits -= to
                result.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)) & UInt8((1 << to) - 1))
            }
            pending &= (1 << UInt32(bits)) - 1
        }
        guard bits > 0 else { return (result, 0) }
        let last = UInt8(truncatingIfNeeded: pending << UInt32(to - bits))
        return (result + [last], last)
    }
}
