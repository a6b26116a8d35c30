/// Addresses' text the plain way, digit by digit in lists: the oracle of the product's.
enum SlowAddressText {
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l")
    private static let generators: [UInt64] = [
        0x98_f2bc_8e61, 0x79_b76d_99e2, 0xf3_3e5f_b3c4, 0xae_2eab_e2a8, 0x1e_4f43_e470,
    ]

    /// Bytes cut into digits of five bits, the last one filled up with zeros.
    static func digits(of bytes: [UInt8]) -> [UInt8] {
        var bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        while !bits.count.isMultiple(of: 5) { bits.append(0) }
        return stride(from: 0, to: bits.count, by: 5).map { start in
            bits[start..<start + 5].reduce(0) { $0 << 1 | $1 }
        }
    }

    /// Any digits under a prefix, with the checksum that fits.
    static func text(ofDigits digits: [UInt8], prefix: String) -> String {
        let sum = polymod(prefix.utf8.map { $0 & 0x1f } + [0] + digits + [UInt8](repeating: 0, count: 8))
        let checksum = (0..<8).map { UInt8(sum >> (35 - 5 * $0) & 0x1f) }
        return prefix + ":" + String((digits + checksum).map { alphabet[Int($0)] })
    }

    private static func polymod(_ values: [UInt8]) -> UInt64 {
        values.reduce(1 as UInt64) { state, value in
            let shifted = (state & 0x07_ffff_ffff) << 5 ^ UInt64(value)
            return generators.indices.filter { state >> (35 + $0) & 1 == 1 }.reduce(shifted) { $0 ^ generators[$1] }
        } ^ 1
    }
}
