import Kaspa

/// Writes JSON as UTF-8 bytes: a notification's size is counted in bytes, so it is built in bytes.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    mutating func object(_ body: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    mutating func object(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }

    mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        text(value.utf8)
    }

    /// Printable ASCII or any UTF-8.
    mutating func member(_ name: StaticString, text value: ArraySlice<UInt8>) {
        key(name)
        text(value)
    }

    mutating func member(_ name: StaticString, hex value: ArraySlice<UInt8>) {
        key(name)
        bytes.append(UInt8(ascii: "\""))
        Hex.append(value, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    mutating func member(_ name: StaticString, _ value: UInt64) {
        key(name)
        bytes.append(contentsOf: String(value).utf8)
        needsComma = true
    }

    mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
        needsComma = true
    }

    mutating func null(_ name: StaticString) {
        key(name)
        bytes.append(contentsOf: "null".utf8)
        needsComma = true
    }

    private mutating func key(_ name: StaticString) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: "\":".utf8)
        needsComma = false
    }

    private mutating func text(_ value: some Sequence<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        let isPlain = value.withContiguousStorageIfAvailable { value in
            guard value.allSatisfy(Self.standsForItself) else { return false }
            bytes.append(contentsOf: value)
            return true
        }
        if isPlain != true { escape(value) }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// The bytes that a text's scalar takes.
    static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar {
        case "\"", "\\": 2
        case "\0"..<" ": 6
        default: UTF8.width(scalar)
        }
    }

    private static func standsForItself(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func escape(_ value: some Sequence<UInt8>) {
        for byte in value {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(contentsOf: Hex.encode(CollectionOfOne(byte)).utf8)
            default:
                bytes.append(byte)
            }
        }
    }
}
