extension Duration {
    /// Whole milliseconds; a part of one is left out, and a negative duration is 0.
    public var millisecondsRoundedDown: UInt64 { milliseconds(addingAttoseconds: 0) }

    /// Whole milliseconds; a part of one counts as one, and a negative duration is 0.
    public var millisecondsRoundedUp: UInt64 { milliseconds(addingAttoseconds: attosecondsPerMillisecond - 1) }

    private func milliseconds(addingAttoseconds part: Int64) -> UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000)
        let (sum, isTooLarge) = product.addingReportingOverflow(
            UInt64((attoseconds + part) / attosecondsPerMillisecond))
        return overflow || isTooLarge ? .max : sum
    }
}

private let attosecondsPerMillisecond: Int64 = 1_000_000_000_000_000
