/// Texts that people read, as JSON strings: one line, whatever is in them.
package enum JSONText {
    /// The text as a JSON string, quotation marks included, for logs, terminals and files.
    ///
    /// Everything of `isUnprintable` is escaped.
    package static func quoted(_ text: String) -> String {
        var json = JSONWriter(capacity: text.utf8.count + 2, escaping: .unprintable)
        json.string(text)
        return json.text
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
