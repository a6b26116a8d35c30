/// Makes any text a name that the exposition format allows.
enum MetricName {
    /// A metric name: `[a-zA-Z_:][a-zA-Z0-9_:]*`; every other byte becomes `_`.
    static func metric(_ text: String) -> String {
        sanitized(text, allowsColon: true)
    }

    /// A label name: `[a-zA-Z_][a-zA-Z0-9_]*`; `le`, which histograms use themselves, becomes `le_`.
    static func label(_ text: String) -> String {
        let name = sanitized(text, allowsColon: false)
        return name == "le" ? "le_" : name
    }

    private static func sanitized(_ text: String, allowsColon: Bool) -> String {
        var name: [UInt8] = []
        name.reserveCapacity(text.utf8.count + 1)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if name.isEmpty { name.append(UInt8(ascii: "_")) }
                name.append(byte)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
                name.append(byte)
            case UInt8(ascii: ":") where allowsColon:
                name.append(byte)
            default:
                name.append(UInt8(ascii: "_"))
            }
        }
        return name.isEmpty ? "_" : String(decoding: name, as: UTF8.self)
    }
}
