/// The 40-bit checksum of an address, digit by digit: CashAddr's polymod over the prefix and the data.
struct AddressChecksum {
    /// The length of a checksum in base32 digits.
    static let digitCount = 8

    private var state: UInt64 = 1

    /// The state behind the prefix.
    init(_ prefix: AddressPrefix) {
        for character in prefix.rawValue.utf8 { add(character & 0x1f) }
        add(0)
    }

    /// Takes in the next base32 digit.
    mutating func add(_ digit: UInt8) {
        let top = state >> 35
        // A bit that is set becomes all ones: branches on what is as good as random are mispredicted.
        func ifSet(_ bit: UInt64, _ term: UInt64) -> UInt64 { term & (0 &- (top >> bit & 1)) }
        state =
            (state & 0x07_ffff_ffff) << 5 ^ UInt64(digit)
            ^ ifSet(0, 0x98_f2bc_8e61) ^ ifSet(1, 0x79_b76d_99e2) ^ ifSet(2, 0xf3_3e5f_b3c4)
            ^ ifSet(3, 0xae_2eab_e2a8) ^ ifSet(4, 0x1e_4f43_e470)
    }

    /// Whether the last eight digits are the checksum of those before them; there must have been so many.
    var isMet: Bool { state == 1 }

    /// The digits that complete what was taken in, the first one in the highest of 40 bits.
    var completion: UInt64 {
        var end = self
        for _ in 0..<Self.digitCount { end.add(0) }
        return end.state ^ 1
    }
}
