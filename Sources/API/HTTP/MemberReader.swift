import JSON
import Kaspa

/// Reads the members of a JSON object; each error is 400 and names the member.
struct MemberReader {
    private let members: [String: JSONValue]
    /// The prefix of member names in errors, without the dot; empty for the body itself.
    private let name: String

    init(_ value: JSONValue, name: String) throws {
        guard case .object(let members) = value else { throw APIError.badRequest("\(name) must be an object") }
        self.members = members
        self.name = name
    }

    /// A member that is present and not null.
    func present(_ member: String) -> JSONValue? {
        guard let value = members[member], value != .null else { return nil }
        return value
    }

    func text(_ member: String) throws -> String {
        guard case .string(let text) = try required(member) else {
            throw APIError.badRequest("\(path(member)) must be a string")
        }
        return text
    }

    /// A whole number from 0 to 2^64 - 1.
    func integer(_ member: String) throws -> UInt64 {
        guard case .integer(let value) = try required(member) else {
            throw APIError.badRequest("\(path(member)) must be a whole number, not negative")
        }
        return value
    }

    /// The number of rows asked for, at most `maximum`, or `standard` without the member.
    func limit(default standard: Int, atMost maximum: Int) throws -> Int {
        guard present("limit") != nil else { return standard }
        let limit = try integer("limit")
        guard limit > 0 else { throw APIError.badRequest("\(path("limit")) must be a positive number") }
        return Int(min(limit, UInt64(maximum)))
    }

    /// A list of texts, each converted by `read`, which gets the entry's name for errors.
    func texts<Element>(
        _ member: String, atMost limit: Int, _ read: (_ text: String, _ name: String) throws -> Element
    ) throws -> [Element] {
        try list(member, atMost: limit) { value, name in
            guard case .string(let text) = value else { throw APIError.badRequest("\(name) must be a string") }
            return try read(text, name)
        }
    }

    /// A list, each entry converted by `read`.
    func list<Element>(
        _ member: String, atMost limit: Int, _ read: (_ value: JSONValue, _ name: String) throws -> Element
    ) throws -> [Element] {
        guard case .array(let entries) = try required(member) else {
            throw APIError.badRequest("\(path(member)) must be a list")
        }
        guard entries.count <= limit else {
            throw APIError.badRequest("\(path(member)) has \(entries.count) entries; at most \(limit) are allowed")
        }
        return try entries.enumerated().map { try read($1, "\(path(member))[\($0)]") }
    }

    func hex(_ member: String, bytes count: Int) throws -> [UInt8] {
        guard let bytes = Hex.decode(try text(member)), bytes.count == count else {
            throw APIError.badRequest("\(path(member)) must be \(count * 2) hex digits")
        }
        return bytes
    }

    func base64(_ member: String, bytes range: ClosedRange<Int>) throws -> [UInt8] {
        let text = try text(member)
        // Three bytes are four characters. A longer text is not decoded.
        guard text.utf8.count <= (range.upperBound + 2) / 3 * 4, let bytes = Base64Text.decode(text),
            range.contains(bytes.count)
        else {
            let count = range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
            throw APIError.badRequest("\(path(member)) must be \(count) bytes in base64")
        }
        return bytes
    }

    private func required(_ member: String) throws -> JSONValue {
        guard let value = present(member) else { throw APIError.badRequest("\(path(member)) is missing") }
        return value
    }

    private func path(_ member: String) -> String { name.isEmpty ? member : "\(name).\(member)" }
}

extension JSONError {
    /// The error in a sentence for the client.
    var sentence: String {
        switch self {
        case .malformed: "the body is not valid JSON"
        case .notUTF8: "the body is not valid UTF-8"
        case .tooDeep: "the body nests lists or objects too deeply"
        case .repeatedMember(let name): "the member \(name.quotedForPeople) comes twice"
        }
    }
}
