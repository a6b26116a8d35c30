import Kaspa

/// Writes JSON (RFC 8259) as UTF-8 bytes: the one writer of notifications, REST answers and log lines.
///
/// Members keep the order in which they are written. The caller makes sure that the calls make one document.
package struct JSONWriter {
    /// Which characters of a text are escaped.
    package enum Escaping: Sendable {
        /// Those that JSON demands: quotation marks, backslashes, and control characters as `\u00xx`.
        ///
        /// Notifications are written like this: `width(of:)` is what each character takes of their size.
        case required
        /// Also all that `JSONText.isUnprintable` names; line feed, carriage return and tab in their short form.
        ///
        /// Such a text can stand in a log and on a terminal.
        case unprintable
    }

    package private(set) var bytes: [UInt8] = []
    private let escaping: Escaping
    private var needsComma = false

    package init(capacity: Int = 0, escaping: Escaping = .required) {
        self.escaping = escaping
        bytes.reserveCapacity(capacity)
    }

    /// What was written so far.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    // MARK: Values

    package mutating func object(_ body: (inout JSONWriter) -> Void) { enclose("{", "}", body) }

    package mutating func array(_ body: (inout JSONWriter) -> Void) { enclose("[", "]", body) }

    package mutating func string(_ value: String) { element { $0.quote(value.utf8) } }

    package mutating func integer(_ value: UInt64) { literal(String(value)) }

    package mutating func boolean(_ value: Bool) { literal(value ? "true" : "false") }

    /// A number that JSON cannot write (NaN and the infinities) is null.
    package mutating func number(_ value: Double) { literal(value.isFinite ? value.decimalText : "null") }

    package mutating func null() { literal("null") }

    // MARK: Members

    /// The name of the member whose value is written next.
    package mutating func name(_ name: String) {
        separate()
        quote(name.utf8)
        bytes.append(UInt8(ascii: ":"))
    }

    package mutating func object(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }

    package mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    /// Printable ASCII or any UTF-8.
    package mutating func member(_ name: StaticString, text value: ArraySlice<UInt8>) {
        key(name)
        element { $0.quote(value) }
    }

    package mutating func member(_ name: StaticString, hex value: ArraySlice<UInt8>) {
        key(name)
        element { json in
            json.bytes.append(UInt8(ascii: "\""))
            Hex.append(value, to: &json.bytes)
            json.bytes.append(UInt8(ascii: "\""))
        }
    }

    package mutating func member(_ name: StaticString, _ value: UInt64) {
        key(name)
        integer(value)
    }

    package mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        boolean(value)
    }

    package mutating func null(_ name: StaticString) {
        key(name)
        null()
    }

    /// A name that needs no escapes.
    private mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    // MARK: Parts

    /// Writes the comma before a member or an element, unless it is the first.
    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = false
    }

    private mutating func element(_ write: (inout JSONWriter) -> Void) {
        separate()
        write(&self)
        needsComma = true
    }

    private mutating func literal(_ text: String) { element { $0.bytes.append(contentsOf: text.utf8) } }

    private mutating func enclose(
        _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ body: (inout JSONWriter) -> Void
    ) {
        element { json in
            json.bytes.append(UInt8(ascii: opening))
            body(&json)
            json.bytes.append(UInt8(ascii: closing))
        }
    }
}

// MARK: Texts

extension JSONWriter {
    /// The bytes that a character takes with the escapes that JSON demands.
    package static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar {
        case "\"", "\\": 2
        case "\0"..<" ": 6
        default: UTF8.width(scalar)
        }
    }

    private mutating func quote(_ utf8: some Sequence<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        let plain = 0x20...(escaping == .required ? UInt8.max : 0x7e)
        // Almost all of it is hex, addresses and names: these stand as they are.
        let isPlain = utf8.withContiguousStorageIfAvailable { utf8 in
            guard utf8.allSatisfy({ plain.contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
            else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        if isPlain != true {
            switch escaping {
            case .required: for byte in utf8 { appendEscaped(byte) }
            case .unprintable:
                for scalar in String(decoding: Array(utf8), as: UTF8.self).unicodeScalars { appendEscaped(scalar) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case 0..<0x20: appendCode(UInt32(byte))
        default: bytes.append(byte)
        }
    }

    private mutating func appendEscaped(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": bytes.append(contentsOf: #"\""#.utf8)
        case "\\": bytes.append(contentsOf: #"\\"#.utf8)
        case "\n": bytes.append(contentsOf: #"\n"#.utf8)
        case "\r": bytes.append(contentsOf: #"\r"#.utf8)
        case "\t": bytes.append(contentsOf: #"\t"#.utf8)
        case _ where JSONText.isUnprintable(scalar): appendCode(scalar.value)
        default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    /// `\u` and four digits.
    private mutating func appendCode(_ value: UInt32) {
        let digits = String(value, radix: 16)
        bytes.append(contentsOf: #"\u"#.utf8)
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
        bytes.append(contentsOf: digits.utf8)
    }
}

extension Double {
    /// A finite number in decimal, a whole one without a fraction, as JSON and Prometheus' text format take it.
    package var decimalText: String {
        if magnitude < 0x1p53, let whole = Int64(exactly: self) { return String(whole) }
        return description
    }
}
