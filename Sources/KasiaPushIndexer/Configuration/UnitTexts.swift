/// Durations in the configuration: a whole number and a unit.
enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// Reads `500ms`, `10s`, `15m`, `24h` or `2d`; nil for anything else, and for what 64 bits of milliseconds cannot
    /// hold.
    static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text[digits.endIndex...]
        guard let unit = units.first(where: { $0.suffix == suffix }), let count = Int64(digits) else { return nil }
        let (milliseconds, isTooLarge) = count.multipliedReportingOverflow(by: unit.milliseconds)
        return isTooLarge ? nil : .milliseconds(milliseconds)
    }

    /// Writes a duration so that ``parse(_:)`` reads it back, in the largest unit that holds it whole.
    ///
    /// Fractions of a millisecond are dropped.
    static func format(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let part = attoseconds / 1_000_000_000_000_000
        if part != 0 {
            let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000)
            return isTooLarge ? "\(seconds)s" : "\(whole &+ part)ms"
        }
        // Up to two days, operators write hours.
        let largest = units.dropFirst().last { unit in
            let size = unit.milliseconds / 1_000
            return seconds % size == 0 && (unit.suffix != "d" || seconds >= 2 * size)
        }
        guard seconds != 0, let largest else { return "0s" }
        return "\(seconds / (largest.milliseconds / 1_000))\(largest.suffix)"
    }
}

/// Numbers of bytes in the configuration: a whole number, and a unit unless it is bytes.
enum ByteCountText {
    private static let units: [(suffix: String, bytes: UInt64)] = [
        ("", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
    ]

    /// Reads `0`, `4096`, `512KiB`, `256MiB`, `2GiB` or `1TiB`; nil for anything else, and for what 64 bits cannot
    /// hold.
    static func parse(_ text: String) -> UInt64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text[digits.endIndex...]
        guard let unit = units.first(where: { $0.suffix == suffix }), let count = UInt64(digits) else { return nil }
        let (bytes, isTooLarge) = count.multipliedReportingOverflow(by: unit.bytes)
        return isTooLarge ? nil : bytes
    }

    /// Writes a number so that ``parse(_:)`` reads it back, in the largest unit that holds it whole.
    static func format(_ bytes: UInt64) -> String {
        let unit = units.last { bytes != 0 && bytes % $0.bytes == 0 } ?? units[0]
        return "\(bytes / unit.bytes)\(unit.suffix)"
    }
}
