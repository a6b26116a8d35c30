/// Reads fields that end with a colon, from left to right.
///
/// A field that does not fit leaves the reader where it was.
struct FieldReader {
    private(set) var remaining: Range<Int>

    init(_ range: Range<Int>) {
        remaining = range
    }

    /// A field of exactly so many hexadecimal digits, of either case.
    mutating func hexadecimal(digits: Int, of payload: RawSpan) -> Range<Int>? {
        guard remaining.count > digits else { return nil }
        let field = remaining.lowerBound..<remaining.lowerBound + digits
        guard payload.byte(at: field.upperBound) == 0x3a, payload.isHexadecimal(field) else { return nil }
        remaining = field.upperBound + 1..<remaining.upperBound
        return field
    }

    /// A field of 1 to 20 decimal digits that fits in 64 bits; leading zeros count as digits.
    mutating func decimal(of payload: RawSpan) -> UInt64? {
        let start = remaining.lowerBound
        var value: UInt64 = 0
        for offset in remaining.prefix(21) {
            let byte = payload.byte(at: offset)
            if byte == 0x3a, offset > start {
                remaining = offset + 1..<remaining.upperBound
                return value
            }
            guard 0x30...0x39 ~= byte else { return nil }
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(UInt64(byte - 0x30))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return nil
    }
}
