/// The base32 of addresses: five bits a character, no padding characters.
enum Base32 {
    /// The character of each value.
    static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

    /// The value of each byte as a character of either case; 255 for those outside the alphabet.
    static let values: [UInt8] = {
        var table = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() {
            table[Int(character)] = UInt8(value)
            if 0x61...0x7a ~= character { table[Int(character & ~0x20)] = UInt8(value) }
        }
        return table
    }()

    /// How many digits bytes take, the last one filled up with zeros.
    static func digitCount(ofBytes count: Int) -> Int { (count * 8 + 4) / 5 }
}
