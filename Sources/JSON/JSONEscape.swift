import Kaspa

/// Reads the escapes in JSON strings (RFC 8259, section 7).
enum JSONEscape {
    /// Appends what the escape stands for whose backslash is before `position`, and moves `position` behind it.
    ///
    /// False for an escape that is not valid, half a surrogate pair among them.
    static func append(in text: ArraySlice<UInt8>, at position: inout Int, to result: inout [UInt8]) -> Bool {
        guard position < text.endIndex else { return false }
        let byte = text[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(byte)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "u"):
            guard let scalar = scalar(in: text, at: &position) else { return false }
            result.append(contentsOf: String(Character(scalar)).utf8)
        default: return false
        }
        return true
    }

    /// Reads the digits after `\u`, and the second half of a surrogate pair; nil for half a pair.
    private static func scalar(in text: ArraySlice<UInt8>, at position: inout Int) -> Unicode.Scalar? {
        guard let first = fourDigits(of: text, at: &position) else { return nil }
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, text[position...].starts(with: #"\u"#.utf8) else { return nil }
        position += 2
        guard let second = fourDigits(of: text, at: &position), (0xDC00...0xDFFF).contains(second) else { return nil }
        return Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
    }

    private static func fourDigits(of text: ArraySlice<UInt8>, at position: inout Int) -> UInt32? {
        guard text.endIndex - position >= 4 else { return nil }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Hex.digit(text[position]) else { return nil }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
