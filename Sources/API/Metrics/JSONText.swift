/// Writes JSON strings without Foundation.
package enum JSONText {
    /// The text as a JSON string, quotation marks included.
    ///
    /// Besides what JSON demands, everything of ``isUnprintable(_:)`` is escaped, so that the result can stand in a
    /// log or on a terminal.
    package static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 2)
        write(quoted: text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends what `quoted(_:)` returns, as UTF-8.
    static func write(quoted text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        // Almost all of it is hex, addresses and names: these stand as they are.
        let isPlain = text.withUTF8 { utf8 in
            guard utf8.allSatisfy({ (0x20..<0x7f).contains($0) && $0 != 0x22 && $0 != 0x5c }) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        if !isPlain { for scalar in text.unicodeScalars { write(escaping: scalar, to: &bytes) } }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func write(escaping scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        switch scalar {
        case "\"": bytes.append(contentsOf: "\\\"".utf8)
        case "\\": bytes.append(contentsOf: "\\\\".utf8)
        case "\n": bytes.append(contentsOf: "\\n".utf8)
        case "\r": bytes.append(contentsOf: "\\r".utf8)
        case "\t": bytes.append(contentsOf: "\\t".utf8)
        case _ where isUnprintable(scalar):
            let digits = String(scalar.value, radix: 16)
            bytes.append(contentsOf: "\\u".utf8)
            bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
            bytes.append(contentsOf: digits.utf8)
        default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
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
