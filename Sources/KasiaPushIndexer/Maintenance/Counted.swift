/// A number with its noun: `1 device`, `2 devices`.
struct Counted: CustomStringConvertible {
    let number: UInt64
    let one: String
    let many: String

    /// `many` is needed if the plural is not the singular with an s, or if there is a verb.
    init(_ number: some BinaryInteger, _ one: String, _ many: String? = nil) {
        self.number = UInt64(clamping: number)
        self.one = one
        self.many = many ?? one + "s"
    }

    var description: String { "\(number) \(number == 1 ? one : many)" }
}

extension Counted {
    static func devices(_ number: some BinaryInteger) -> Counted { Counted(number, "device") }

    static func deliveries(_ number: some BinaryInteger) -> Counted { Counted(number, "delivery", "deliveries") }
}

/// A readable number of bytes: `1.5 GiB`.
struct ByteCount: CustomStringConvertible {
    private static let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

    let bytes: UInt64

    init(_ bytes: UInt64) { self.bytes = bytes }

    var description: String {
        guard bytes >= 1_024 else { return "\(Counted(bytes, "byte"))" }
        var unit = 0
        var size = bytes
        while size >= 1_024 * 1_024, unit < ByteCount.units.count - 1 {
            size /= 1_024
            unit += 1
        }
        let tenths = size * 10 / 1_024
        return "\(tenths / 10).\(tenths % 10) \(ByteCount.units[unit])"
    }
}
