/// Numbers of bytes as people write them in a configuration: a whole number, and a unit if it is not bytes.
enum ByteCountText {
    private static let units: [(suffix: String, bytes: UInt64)] = [
        ("", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
    ]

    /// Reads `0`, `4096`, `512KiB`, `256MiB`, `2GiB` or `1TiB`; nil for anything else, and for what 64 bits cannot hold.
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
