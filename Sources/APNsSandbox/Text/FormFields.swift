/// The fields of a form or of a query (`application/x-www-form-urlencoded`).
struct FormFields {
    private var values: [String: [String]] = [:]

    /// Reads a form; nil if a `%` is not followed by two hexadecimal digits, or the text is not UTF-8.
    init?(_ bytes: [UInt8]) {
        for field in bytes.split(separator: UInt8(ascii: "&")) {
            let pair = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(pair[0]), let value = Self.decoded(pair.count > 1 ? pair[1] : [])
            else { return nil }
            values[name, default: []].append(value)
        }
    }

    /// The value of a field that is there exactly once.
    subscript(name: String) -> String? {
        guard let values = values[name], values.count == 1 else { return nil }
        return values[0]
    }

    /// `bytes` with their escapes resolved; nil for a broken one.
    static func decoded(_ bytes: some Sequence<UInt8>) -> String? {
        var decoded: [UInt8] = []
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
