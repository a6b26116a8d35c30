/// A number of things as people read it: `1 device`, `2 devices`.
struct Counted: CustomStringConvertible {
    let number: UInt64
    let one: String
    let many: String

    /// `many` where the plural is not the singular with an s, or a verb comes along.
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
