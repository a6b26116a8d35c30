/// Finds text members of one JSON object (RFC 8259) without decoding the rest, in time proportional to its length.
///
/// Foundation's decoder is not used: its time grows with the square of the depth, and what is read here was written by
/// strangers. What stands between the members that are asked for is passed over: its brackets must balance, and no more.
package struct JSONTexts {
    /// The members that were found, by name: what stands between the quotation marks.
    private var texts: [String: ArraySlice<UInt8>] = [:]

    /// Reads the object's own members of these names; nil when the bytes are not one object and nothing else.
    ///
    /// A name that an object has twice counts by its last value; one that is written with escapes is not found.
    package init?(of object: ArraySlice<UInt8>, names: [String]) {
        let bytes = object.span
        var position = 0
        guard JSONTexts.take("{", in: bytes, at: &position) else { return nil }
        if !JSONTexts.take("}", in: bytes, at: &position) {
            repeat {
                guard JSONTexts.next(in: bytes, at: &position) == UInt8(ascii: "\""),
                    let name = JSONTexts.string(in: bytes, at: &position),
                    JSONTexts.take(":", in: bytes, at: &position)
                else { return nil }
                var text: Range<Int>?
                if JSONTexts.next(in: bytes, at: &position) == UInt8(ascii: "\"") {
                    text = JSONTexts.string(in: bytes, at: &position)
                    guard text != nil else { return nil }
                } else {
                    guard JSONTexts.skipValue(in: bytes, at: &position) else { return nil }
                }
                for wanted in names where wanted.utf8.count == name.count {
                    guard object.dropFirst(name.lowerBound).starts(with: wanted.utf8) else { continue }
                    texts[wanted] = text.map { object.dropFirst($0.lowerBound).prefix($0.count) }
                }
            } while JSONTexts.take(",", in: bytes, at: &position)
            guard JSONTexts.take("}", in: bytes, at: &position) else { return nil }
        }
        guard JSONTexts.next(in: bytes, at: &position) == nil else { return nil }
    }

    /// The member's text as it is written, with its escapes; nil when there is none or it is no text.
    package func written(_ name: String) -> ArraySlice<UInt8>? { texts[name] }

    /// The member's text in UTF-8, at least `limit` bytes of it and at most 3 more, if it is that long.
    ///
    /// nil when there is none, it is no text, or one of the escapes read is not valid.
    package func bytes(_ name: String, limit: Int = .max) -> [UInt8]? {
        texts[name].flatMap { JSONTexts.unescape($0, limit: limit) }
    }

    // MARK: Passing over

    /// The next byte that is not white space, without taking it.
    private static func next(in bytes: Span<UInt8>, at position: inout Int) -> UInt8? {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0a, 0x0d: position += 1
            case let byte: return byte
            }
        }
        return nil
    }

    private static func take(_ expected: Unicode.Scalar, in bytes: Span<UInt8>, at position: inout Int) -> Bool {
        guard next(in: bytes, at: &position) == UInt8(ascii: expected) else { return false }
        position += 1
        return true
    }

    /// Passes over a text from its quotation mark on; returns where the part between the two is.
    private static func string(in bytes: Span<UInt8>, at position: inout Int) -> Range<Int>? {
        let start = position + 1
        position = start
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return start..<position - 1
            case UInt8(ascii: "\\"): position += 2
            case 0..<0x20: return nil
            default: position += 1
            }
        }
        return nil
    }

    /// Passes over a value that is no text, however deep it is: a count takes the place of a stack.
    private static func skipValue(in bytes: Span<UInt8>, at position: inout Int) -> Bool {
        let start = position
        var depth = 0
        while let byte = next(in: bytes, at: &position) {
            switch byte {
            case UInt8(ascii: "\""):
                guard depth > 0, string(in: bytes, at: &position) != nil else { return false }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return position > start }
                depth -= 1
                position += 1
                if depth == 0 { return true }
            case UInt8(ascii: ",") where depth == 0: return position > start
            default: position += 1
            }
        }
        return false
    }

    // MARK: Escapes

    private static func unescape(_ text: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
        var result: [UInt8] = []
        var position = text.startIndex
        while position < text.endIndex, result.count < limit {
            guard text[position] == UInt8(ascii: "\\") else {
                result.append(text[position])
                position += 1
                continue
            }
            position += 1
            guard JSONEscape.append(in: text, at: &position, to: &result) else { return nil }
        }
        return result
    }
}
