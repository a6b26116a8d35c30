import Foundation
import JSON

/// The service's `openapi.json`: its operations, and its schemas by reference.
struct APIDocument {
    /// An operation: a method of a path.
    struct Operation {
        let id: String
        let method: String
        let path: String
        /// Parameters with their references followed.
        let parameters: [Parameter]
        /// The schema of the JSON body, if it has one.
        let body: JSONValue?
        /// The schema of the answer with status 200 and its content type.
        let answer: (type: String, schema: JSONValue)
    }

    struct Parameter {
        let name: String
        /// `query`, `path` or `header`.
        let place: String
        let isRequired: Bool
        let schema: JSONValue
    }

    struct Malformed: Error {
        let place: String
    }

    let root: JSONValue
    let operations: [Operation]

    /// The document among the API's sources, read once.
    static let shared = Result { try load() }

    private static func load() throws -> APIDocument {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { folder.deleteLastPathComponent() }
        let file = folder.appendingPathComponent("Sources/API/Assets/openapi.json")
        return try APIDocument(JSONParser.parse(Array(Data(contentsOf: file))))
    }

    init(_ root: JSONValue) throws {
        self.root = root
        var operations: [Operation] = []
        for (path, methods) in root["paths"].members {
            for (method, operation) in methods.members {
                guard let id = operation["operationId"].text else { throw Malformed(place: path) }
                let parameters = try operation["parameters"].elements.map { parameter in
                    let parameter = APIDocument.resolved(parameter, in: root)
                    guard let name = parameter["name"].text, let place = parameter["in"].text else {
                        throw Malformed(place: id)
                    }
                    return Parameter(
                        name: name, place: place, isRequired: parameter["required"] == .boolean(true),
                        schema: parameter["schema"])
                }
                let answer = APIDocument.resolved(operation["responses"]["200"], in: root)["content"].members
                guard let (type, content) = answer.first, answer.count == 1 else { throw Malformed(place: id) }
                let body = operation["requestBody"]["content"].members["application/json"]?["schema"]
                operations.append(
                    Operation(
                        id: id, method: method.uppercased(), path: path, parameters: parameters, body: body,
                        answer: (type, content["schema"])))
            }
        }
        self.operations = operations.sorted { $0.id < $1.id }
    }

    /// The operation that a request is for.
    func operation(_ method: String, _ path: String) -> Operation? {
        operations.first { $0.method == method && $0.matches(path) }
    }

    /// A schema under `components`.
    func schema(_ name: String) -> JSONValue { root["components"]["schemas"][name] }

    /// What a reference leads to, with the members that stand beside the reference.
    func resolved(_ value: JSONValue) -> JSONValue { APIDocument.resolved(value, in: root) }

    private static func resolved(_ value: JSONValue, in root: JSONValue) -> JSONValue {
        guard let reference = value["$ref"].text else { return value }
        let target = reference.dropFirst(2).split(separator: "/").reduce(root) { $0[String($1)] }
        var beside = value.members
        beside["$ref"] = nil
        return .object(resolved(target, in: root).members.merging(beside) { _, beside in beside })
    }
}

extension APIDocument.Operation {
    /// Whether a path is this operation's; `{…}` stands for any one part.
    fileprivate func matches(_ path: String) -> Bool {
        let (own, given) = (self.path.split(separator: "/"), path.split(separator: "/"))
        return own.count == given.count && zip(own, given).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
    }
}

extension JSONValue {
    /// A member of an object; null if it has none of this name.
    subscript(name: String) -> JSONValue { members[name] ?? .null }

    /// An object's members; none of anything else.
    var members: [String: JSONValue] {
        guard case .object(let members) = self else { return [:] }
        return members
    }

    /// An array's elements; none of anything else.
    var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// A whole number.
    var count: Int? {
        guard case .integer(let number) = self else { return nil }
        return Int(exactly: number)
    }

    /// Any number.
    var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// The value as a document.
    var data: Data {
        var writer = JSONWriter()
        write(to: &writer)
        return Data(writer.bytes)
    }

    private func write(to json: inout JSONWriter) {
        switch self {
        case .null: json.null()
        case .boolean(let value): json.boolean(value)
        case .integer(let value): json.integer(value)
        case .number(let value): json.number(value)
        case .string(let value): json.string(value)
        case .array(let values): json.array { json in for value in values { value.write(to: &json) } }
        case .object(let members):
            json.object { json in
                for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                    json.name(name)
                    value.write(to: &json)
                }
            }
        }
    }

    /// The value without members that are null, at any depth.
    var withoutNulls: JSONValue {
        switch self {
        case .array(let values): .array(values.map(\.withoutNulls))
        case .object(let members): .object(members.filter { $0.value != .null }.mapValues(\.withoutNulls))
        default: self
        }
    }
}
