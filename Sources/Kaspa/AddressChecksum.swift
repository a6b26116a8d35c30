/// The 40-bit checksum of an address, digit by digit: CashAddr's polymod over the prefix and the data.
struct AddressChecksum {
    /// The length of a checksum in base32 digits.
    static let digitCount = 8

    /// What the highest digit of a state becomes, by its value.
    private static let terms: [UInt64] = (0..<32).map { top in
        let generators: [UInt64] = [
            0x98_f2bc_8e61, 0x79_b76d_99e2, 0xf3_3e5f_b3c4, 0xae_2eab_e2a8, 0x1e_4f43_e470,
        ]
        return generators.enumerated().reduce(0) { top >> $1.offset & 1 == 1 ? $0 ^ $1.element : $0 }
    }

    private static let statesBehindPrefix = AddressPrefix.allCases.map { prefix in
        var checksum = AddressChecksum(state: 1)
        let digits = prefix.rawValue.utf8.map { $0 & 0x1f } + [0]
        digits.withUnsafeBufferPointer { checksum.add($0) }
        return checksum.state
    }

    private var state: UInt64

    private init(state: UInt64) { self.state = state }

    /// The state behind the prefix.
    init(_ prefix: AddressPrefix) { state = Self.statesBehindPrefix[prefix.number] }

    /// Takes in the next base32 digits.
    mutating func add(_ digits: UnsafeBufferPointer<UInt8>) {
        Self.terms.withUnsafeBufferPointer { terms in
            state = digits.reduce(state) { Self.state(after: $0, UInt64($1), terms) }
        }
    }

    private static func state(after state: UInt64, _ digit: UInt64, _ terms: UnsafeBufferPointer<UInt64>) -> UInt64 {
        (state & 0x07_ffff_ffff) << 5 ^ digit ^ terms[Int(truncatingIfNeeded: state >> 35)]
    }

    /// Whether the last eight digits are the checksum of those before them; there must have been so many.
    var isMet: Bool { state == 1 }

    /// The digits that complete what was taken in, the first one in the highest of 40 bits.
    var completion: UInt64 {
        Self.terms.withUnsafeBufferPointer { terms in
            (0..<Self.digitCount).reduce(state) { state, _ in Self.state(after: state, 0, terms) } ^ 1
        }
    }
}
