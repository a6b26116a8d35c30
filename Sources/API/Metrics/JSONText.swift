/// Writes JSON strings without Foundation.
package enum JSONText {
    /// The text as a JSON string, quotation marks included.
    ///
    /// Besides what JSON demands, everything of ``isUnprintable(_:)`` is escaped, so that the result can stand in a
    /// log or on a terminal.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isUnprintable(scalar):
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Whether a scalar can move the cursor, break a line or turn the direction of text: C0, DEL and C1 controls,
    /// line and paragraph separators, and the marks that embed, override or isolate a direction.
    ///
    /// All of them lie below U+10000.
    package static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
