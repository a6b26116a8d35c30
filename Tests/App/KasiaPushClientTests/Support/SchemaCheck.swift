import JSON

/// Checks values against the document's schemas: the keywords that `openapi.json` has, and no others.
struct SchemaCheck {
    let document: APIDocument

    /// What the schema does not allow in a value; empty if it is valid.
    func problems(_ value: JSONValue, _ schema: JSONValue, at place: String = "") -> [String] {
        let schema = document.resolved(schema)
        return schema.members.flatMap { keyword, rule -> [String] in
            keywordProblems(keyword, rule, of: value, in: schema, at: place)
        }
    }

    func isValid(_ value: JSONValue, _ schema: JSONValue) -> Bool { problems(value, schema).isEmpty }

    /// Keywords that say nothing about what is valid.
    private static let annotations: Set = ["description", "default", "example", "examples", "title"]

    private func keywordProblems(
        _ keyword: String, _ rule: JSONValue, of value: JSONValue, in schema: JSONValue, at place: String
    ) -> [String] {
        func unless(_ isValid: Bool) -> [String] { isValid ? [] : ["\(place): \(keyword) \(value)"] }
        let elements = value.elements
        switch keyword {
        case _ where SchemaCheck.annotations.contains(keyword): return []
        case "type":
            return unless(rule.text.map(value.isOf) ?? rule.elements.compactMap(\.text).contains(where: value.isOf))
        case "enum": return unless(rule.elements.contains(value))
        case "const": return unless(rule == value)
        case "minimum": return unless(value.double.map { $0 >= rule.double ?? 0 } ?? true)
        case "maximum": return unless(value.double.map { $0 <= rule.double ?? 0 } ?? true)
        case "pattern": return unless(value.text.map { matches($0, rule.text ?? "") } ?? true)
        case "maxLength": return unless((value.text?.count ?? 0) <= rule.count ?? 0)
        case "minItems": return unless(value.isOf("array") ? elements.count >= rule.count ?? 0 : true)
        case "maxItems": return unless(elements.count <= rule.count ?? 0)
        case "maxProperties": return unless(value.members.count <= rule.count ?? 0)
        case "contains":
            return unless(value.isOf("array") ? elements.contains { isValid($0, rule) } : true)
        case "items": return elements.enumerated().flatMap { problems($1, rule, at: "\(place)[\($0)]") }
        case "required":
            guard value.isOf("object") else { return [] }
            return rule.elements.compactMap(\.text).filter { value.members[$0] == nil }.map { "\(place): no \($0)" }
        case "properties":
            return rule.members.flatMap { name, schema in
                value.members[name].map { problems($0, schema, at: "\(place).\(name)") } ?? []
            }
        case "additionalProperties":
            let others = value.members.filter { schema["properties"].members[$0.key] == nil }
            if case .boolean(let isAllowed) = rule { return unless(isAllowed || others.isEmpty) }
            return others.flatMap { problems($1, rule, at: "\(place).\($0)") }
        case "propertyNames": return value.members.keys.flatMap { problems(.string($0), rule, at: "\(place).\($0)") }
        case "allOf": return rule.elements.flatMap { problems(value, $0, at: place) }
        case "anyOf": return unless(rule.elements.contains { isValid(value, $0) })
        case "oneOf": return unless(rule.elements.filter { isValid(value, $0) }.count == 1)
        default: return ["\(place): the keyword \(keyword) is none that this check knows"]
        }
    }

    private func matches(_ text: String, _ pattern: String) -> Bool {
        guard let regex = try? Regex(pattern) else { return false }
        return text.firstMatch(of: regex) != nil
    }
}

extension JSONValue {
    /// Whether the value is of a type of JSON Schema.
    fileprivate func isOf(_ type: String) -> Bool {
        switch (type, self) {
        case ("null", .null), ("boolean", .boolean), ("integer", .integer), ("number", .integer), ("number", .number),
            ("string", .string), ("array", .array), ("object", .object):
            true
        default: false
        }
    }
}
