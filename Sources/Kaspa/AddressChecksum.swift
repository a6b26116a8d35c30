/// The 40-bit checksum of an address: CashAddr's polymod over the prefix and the data.
enum AddressChecksum {
    /// The length of a checksum in base32 digits.
    static let digitCount = 8

    /// The checksum's eight base32 digits for data given in base32 digits.
    static func digits(for data: [UInt8], prefix: AddressPrefix) -> [UInt8] {
        var state = seed(prefix)
        for digit in data { step(&state, digit) }
        for _ in 0..<digitCount { step(&state, 0) }
        let sum = state ^ 1
        return (0..<digitCount).map { UInt8(truncatingIfNeeded: sum >> UInt64(35 - 5 * $0)) & 0x1f }
    }

    /// Whether the last eight digits are the checksum of what is before them; false if there are fewer.
    static func isValid(_ digits: [UInt8], prefix: AddressPrefix) -> Bool {
        guard digits.count >= digitCount else { return false }
        var state = seed(prefix)
        for digit in digits { step(&state, digit) }
        return state == 1
    }

    private static func seed(_ prefix: AddressPrefix) -> UInt64 {
        var state: UInt64 = 1
        for character in prefix.rawValue.utf8 { step(&state, character & 0x1f) }
        step(&state, 0)
        return state
    }

    private static func step(_ state: inout UInt64, _ digit: UInt8) {
        let top = state >> 35
        state = (state & 0x07_ffff_ffff) << 5 ^ UInt64(digit)
        if top & 1 != 0 { state ^= 0x98_f2bc_8e61 }
        if top & 2 != 0 { state ^= 0x79_b76d_99e2 }
        if top & 4 != 0 { state ^= 0xf3_3e5f_b3c4 }
        if top & 8 != 0 { state ^= 0xae_2eab_e2a8 }
        if top & 16 != 0 { state ^= 0x1e_4f43_e470 }
    }
}
