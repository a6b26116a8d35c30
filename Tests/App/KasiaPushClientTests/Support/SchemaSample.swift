import JSON

/// Makes values that a schema of the document allows.
struct SchemaSample {
    /// Which of the values that a schema allows.
    enum Extent: CaseIterable {
        /// Every member that the schema names.
        case full
        /// Only the members that are required.
        case minimal
        /// Only those, and null where that is allowed.
        case nulls
    }

    struct NoSample: Error {
        let schema: JSONValue
    }

    let document: APIDocument
    let extent: Extent

    /// A value that the schema allows; checked.
    func value(_ schema: JSONValue) throws -> JSONValue {
        let value = try draft(schema)
        guard SchemaCheck(document: document).isValid(value, schema) else { throw NoSample(schema: schema) }
        return value
    }

    private func draft(_ schema: JSONValue) throws -> JSONValue {
        let schema = document.resolved(schema)
        let alternatives = (schema["oneOf"].elements + schema["anyOf"].elements).map(document.resolved)
        let types = [schema["type"].text].compactMap { $0 } + schema["type"].elements.compactMap(\.text)
        let choices = schema["enum"].elements
        let isNullable =
            types.contains("null") || choices.contains(.null)
            || alternatives.contains { $0["type"] == .string("null") }
        if extent == .nulls, isNullable { return .null }
        if let constant = schema.members["const"] { return constant }
        if let choice = choices.first(where: { $0 != .null }) { return choice }
        switch types.first(where: { $0 != "null" }) {
        case "object": return .object(try members(schema))
        case "array": return .array([try draft(schema["items"])])
        case "string": return try text(schema)
        case "integer": return .integer(UInt64(schema["minimum"].count ?? 0) + (extent == .full ? 7 : 0))
        case "number": return extent == .full ? .number(1.5) : .integer(0)
        case "boolean": return .boolean(true)
        default:
            guard let alternative = alternatives.first(where: { $0["type"].text != "null" }) else {
                throw NoSample(schema: schema)
            }
            return try draft(alternative)
        }
    }

    private func members(_ schema: JSONValue) throws -> [String: JSONValue] {
        let required = Set(schema["required"].elements.compactMap(\.text))
        var members: [String: JSONValue] = [:]
        for (name, schema) in schema["properties"].members where extent == .full || required.contains(name) {
            members[name] = try draft(schema)
        }
        if extent == .full, case .object = schema["additionalProperties"] {
            members["key"] = try draft(schema["additionalProperties"])
        }
        return members
    }

    private func text(_ schema: JSONValue) throws -> JSONValue {
        let check = SchemaCheck(document: document)
        let candidates = schema["examples"].elements + SchemaSample.texts.map { .string($0) }
        guard let text = candidates.first(where: { check.isValid($0, schema) }) else {
            throw NoSample(schema: schema)
        }
        return text
    }

    /// Texts of the forms that the document's patterns ask for.
    private static let texts =
        [32, 64, 80, 128].map { String(repeating: "0f", count: $0 / 2) } + ["word", "01", "token-8_", ""]
}
