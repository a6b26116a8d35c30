private import Kaspa

/// The work behind a block: up to 192 bits, which is what a header holds.
package struct BlueWork: Hashable, Comparable, Sendable {
    // Big-endian words, so that comparing numbers compares works.
    private let high: UInt64
    private let middle: UInt64
    private let low: UInt64

    /// Takes a small work.
    package init(_ work: UInt64) {
        (high, middle, low) = (0, 0, work)
    }

    /// Reads big-endian hexadecimal, 48 digits at most, with or without leading zeros; nil for anything else.
    package init?(_ hex: String) {
        let digits = hex.utf8
        guard !digits.isEmpty, digits.count <= 48 else { return nil }
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        for character in digits {
            guard let digit = Hex.digit(character) else { return nil }
            words.0 = words.0 << 4 | words.1 >> 60
            words.1 = words.1 << 4 | words.2 >> 60
            words.2 = words.2 << 4 | UInt64(digit)
        }
        (high, middle, low) = words
    }

    package static func < (left: BlueWork, right: BlueWork) -> Bool {
        (left.high, left.middle, left.low) < (right.high, right.middle, right.low)
    }
}
