/// An amount of coins in sompi, the smallest unit: 100,000,000 sompi are one KAS.
public struct Sompi: Hashable, Comparable, Sendable {
    /// One KAS in sompi.
    public static let perKAS: UInt64 = 100_000_000

    /// No coins.
    public static let zero = Sompi(0)

    /// The number of sompi.
    public var amount: UInt64

    /// Takes a number of sompi.
    public init(_ amount: UInt64) {
        self.amount = amount
    }

    /// The exact amount in KAS without trailing zeros: `10`, `1.25`, `0.00000001`.
    public var kas: String {
        let (whole, fraction) = amount.quotientAndRemainder(dividingBy: Self.perKAS)
        guard fraction > 0 else { return String(whole) }
        // Adding one KAS makes nine digits of the fraction, so that its leading zeros are written.
        var digits = String(Self.perKAS + fraction).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }

    /// Whether `left` is the smaller amount.
    public static func < (left: Sompi, right: Sompi) -> Bool {
        left.amount < right.amount
    }

    /// The sum, or the greatest amount if the sum does not fit in 64 bits; all coins there will ever be do.
    public static func + (left: Sompi, right: Sompi) -> Sompi {
        let (sum, overflow) = left.amount.addingReportingOverflow(right.amount)
        return Sompi(overflow ? .max : sum)
    }

    /// The exact sum; nil if an amount is not known, or the sum does not fit in 64 bits.
    static func sum(_ amounts: some Sequence<Sompi?>) -> Sompi? {
        var sum: UInt64 = 0
        for amount in amounts {
            guard let amount = amount?.amount else { return nil }
            let (next, overflow) = sum.addingReportingOverflow(amount)
            guard !overflow else { return nil }
            sum = next
        }
        return Sompi(sum)
    }

    /// Adds as `+` does.
    public static func += (left: inout Sompi, right: Sompi) {
        left = left + right
    }
}

extension Sompi: CustomStringConvertible {
    /// The amount with its unit: `1.25 KAS`.
    public var description: String {
        "\(kas) KAS"
    }
}
