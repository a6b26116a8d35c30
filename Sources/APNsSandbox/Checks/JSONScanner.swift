/// Checks JSON (RFC 8259) without building values: whether it is a notification, and where a syntax error is.
///
/// A decoder would cost more than the rest of a request, and Foundation's on Linux does not report the position.
struct JSONScanner {
    /// How deep objects and arrays may be nested.
    ///
    /// A notification needs a handful; deeper counts as an error.
    static let depthLimit = 100

    private let bytes: [UInt8]
    private var position = 0
    private var hasDictionary = false

    /// Whether `bytes` are a JSON object with an object under the key `aps`.
    static func isNotification(_ bytes: [UInt8]) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        var scanner = JSONScanner(bytes: bytes)
        return scanner.scan() && scanner.hasDictionary
    }

    /// Whether `bytes` are a JSON object.
    static func isObject(_ bytes: [UInt8]) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        var scanner = JSONScanner(bytes: bytes)
        scanner.skipSpace()
        return scanner.current == UInt8(ascii: "{") && scanner.scan()
    }

    /// The line and column, from 1, of the first byte that is not valid JSON; nil if all are.
    static func faultPosition(in bytes: [UInt8]) -> (line: Int, column: Int)? {
        var scanner = JSONScanner(bytes: bytes)
        if scanner.scan() { return nil }
        let before = bytes[..<min(scanner.position, bytes.count)]
        let lineFeed = UInt8(ascii: "\n")
        let lineStart = before.lastIndex(of: lineFeed).map { $0 + 1 } ?? 0
        return (before.count { $0 == lineFeed } + 1, before.count - lineStart + 1)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func scan() -> Bool {
        skipSpace()
        guard skipValue(depth: 0) else { return false }
        skipSpace()
        return position == bytes.count
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || (byte >= 0x09 && byte <= 0x0D && byte != 0x0B && byte != 0x0C) {
            position += 1
        }
    }

    private mutating func skipValue(depth: Int) -> Bool {
        guard depth < Self.depthLimit else { return false }
        switch current {
        case UInt8(ascii: "{"): return skipObject(depth: depth)
        case UInt8(ascii: "["): return skipArray(depth: depth)
        case UInt8(ascii: "\""): return skipString()
        case UInt8(ascii: "t"): return skipWord("true")
        case UInt8(ascii: "f"): return skipWord("false")
        case UInt8(ascii: "n"): return skipWord("null")
        default: return skipNumber()
        }
    }

    private mutating func skipObject(depth: Int) -> Bool {
        position += 1
        skipSpace()
        if take(UInt8(ascii: "}")) { return true }
        while true {
            let keyStart = position
            guard skipString() else { return false }
            let isDictionary = depth == 0 && bytes[keyStart..<position].elementsEqual("\"aps\"".utf8)
            skipSpace()
            guard take(UInt8(ascii: ":")) else { return false }
            skipSpace()
            if isDictionary { hasDictionary = current == UInt8(ascii: "{") }
            guard skipValue(depth: depth + 1) else { return false }
            skipSpace()
            if take(UInt8(ascii: "}")) { return true }
            guard take(UInt8(ascii: ",")) else { return false }
            skipSpace()
        }
    }

    private mutating func skipArray(depth: Int) -> Bool {
        position += 1
        skipSpace()
        if take(UInt8(ascii: "]")) { return true }
        while true {
            guard skipValue(depth: depth + 1) else { return false }
            skipSpace()
            if take(UInt8(ascii: "]")) { return true }
            guard take(UInt8(ascii: ",")) else { return false }
            skipSpace()
        }
    }

    private mutating func skipString() -> Bool {
        guard take(UInt8(ascii: "\"")) else { return false }
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case 0..<0x20: return false
            case UInt8(ascii: "\\"): guard skipEscape() else { return false }
            default: continue
            }
        }
        return false
    }

    private mutating func skipEscape() -> Bool {
        guard let byte = current else { return false }
        position += 1
        guard byte == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(byte) }
        for _ in 0..<4 {
            guard let digit = current, Character(UnicodeScalar(digit)).isHexDigit else { return false }
            position += 1
        }
        return true
    }

    private mutating func skipWord(_ word: StaticString) -> Bool {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        guard word.withUTF8Buffer({ bytes[position..<end].elementsEqual($0) }) else { return false }
        position = end
        return true
    }

    private mutating func skipNumber() -> Bool {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) {
            guard skipDigits() else { return false }
        }
        if take(UInt8(ascii: ".")) {
            guard skipDigits() else { return false }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            return skipDigits()
        }
        return true
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = current, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        return position > start
    }
}
