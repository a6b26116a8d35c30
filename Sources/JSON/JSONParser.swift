/// A JSON document as it is: requests are checked member by member, so that an error can name what is wrong.
package enum JSONValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    /// A whole number below 2^64: exact when it is written as digits alone, since signatures cover it.
    case integer(UInt64)
    /// Any other number.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

/// Why a text is not JSON that is accepted.
package enum JSONError: Error, Equatable {
    case malformed
    case notUTF8
    /// Lists or objects are nested deeper than `JSONParser.maximumDepth`.
    case tooDeep
    /// An object has two members of this name.
    case repeatedMember(String)
}

/// Reads one JSON document (RFC 8259) in UTF-8, in time and memory proportional to its length.
///
/// Foundation's decoder is not used: its time grows with the square of the depth, and 500 lists in each other, a
/// thousand bytes, kept it busy for more than a second. A member that comes twice is somebody's mistake or trick, and
/// an error here.
package struct JSONParser {
    /// Lists and objects in each other; no request of ours needs more than three.
    static let maximumDepth = 32

    private let bytes: [UInt8]
    private var position = 0

    /// Parses a whole document.
    package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        // Most documents are ASCII alone.
        guard bytes.reduce(0, |) < 0x80 || String(validUTF8: bytes) != nil else { throw .notUTF8 }
        var parser = JSONParser(bytes: bytes)
        let value = try parser.value(depth: 0)
        guard parser.next() == nil else { throw .malformed }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next byte that is not white space, without taking it.
    private mutating func next() -> UInt8? {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): position += 1
            case let byte: return byte
            }
        }
        return nil
    }

    private mutating func take(_ expected: Unicode.Scalar) -> Bool {
        guard next() == UInt8(ascii: expected) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard depth <= JSONParser.maximumDepth else { throw .tooDeep }
        switch next() {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .boolean(true))
        case UInt8(ascii: "f"): return try literal("false", .boolean(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> [String: JSONValue] {
        position += 1
        var members: [String: JSONValue] = [:]
        if take("}") { return members }
        repeat {
            guard next() == UInt8(ascii: "\"") else { throw .malformed }
            let name = try string()
            guard take(":") else { throw .malformed }
            let value = try value(depth: depth + 1)
            guard members.updateValue(value, forKey: name) == nil else { throw .repeatedMember(name) }
        } while take(",")
        guard take("}") else { throw .malformed }
        return members
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        position += 1
        var values: [JSONValue] = []
        if take("]") { return values }
        repeat { values.append(try value(depth: depth + 1)) } while take(",")
        guard take("]") else { throw .malformed }
        return values
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let isHere = text.withUTF8Buffer { bytes[position...].starts(with: $0) }
        guard isHere else { throw .malformed }
        position += text.utf8CodeUnitCount
        return value
    }
}

// MARK: Numbers

extension JSONParser {
    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        skip("-")
        let whole = skipDigits()
        guard whole > 0, whole == 1 || bytes[position - whole] != UInt8(ascii: "0") else { throw .malformed }
        if skip(".") {
            guard skipDigits() > 0 else { throw .malformed }
        }
        if skip("e") || skip("E") {
            if !skip("+") { skip("-") }
            guard skipDigits() > 0 else { throw .malformed }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if whole == text.utf8.count, let value = UInt64(text) { return .integer(value) }
        guard let value = Double(text) else { throw .malformed }
        // JSON Schema takes 1.0 and 1e3 for integers, too.
        return UInt64(exactly: value).map { .integer($0) } ?? .number(value)
    }

    @discardableResult
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            position += 1
        }
        return position - start
    }
}

// MARK: Strings

extension JSONParser {
    /// Reads from the quotation mark on.
    private mutating func string() throws(JSONError) -> String {
        position += 1
        // What stands before the last escape, and that escape.
        var text: [UInt8] = []
        var start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let rest = bytes[start..<position]
                position += 1
                return text.isEmpty
                    ? String(decoding: rest, as: UTF8.self) : String(decoding: text + rest, as: UTF8.self)
            case UInt8(ascii: "\\"):
                text += bytes[start..<position]
                position += 1
                guard JSONEscape.append(in: bytes[...], at: &position, to: &text) else { throw .malformed }
                start = position
            case 0..<0x20: throw .malformed
            default: position += 1
            }
        }
        throw .malformed
    }
}
