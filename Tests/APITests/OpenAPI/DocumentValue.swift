import Foundation
import Testing

@testable import API

/// A value in `openapi.json`, looked up by the names on the way to it.
struct DocumentValue {
    let value: Any?

    static func document() throws -> DocumentValue {
        DocumentValue(value: try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.json.utf8)))
    }

    /// The value at names with spaces between them; references are followed, and a list is searched for its member of
    /// that name.
    func at(_ names: String) throws -> DocumentValue {
        try names.split(separator: " ").reduce(self) { node, name in
            let next: Any = try #require(try node.member(String(name)), "\(names): there is no \(name)")
            return DocumentValue(value: next)
        }
    }

    private func member(_ name: String) throws -> Any? {
        let found: Any? =
            switch value {
            case let object as [String: Any]: object[name]
            case let list as [Any]:
                try list.first { entry in
                    let entry = try DocumentValue(value: entry).resolved
                    return (entry as? [String: Any])?["name"] as? String == name
                }
            default: nil
            }
        return try DocumentValue(value: found).resolved
    }

    /// The target of a reference together with what is beside the reference.
    private var resolved: Any? {
        get throws {
            guard let object = value as? [String: Any], let reference = object["$ref"] as? String else { return value }
            let path = reference.dropFirst(2).replacing("/", with: " ")
            let target = try DocumentValue.document().at(String(path)).value as? [String: Any]
            return (target ?? [:]).merging(object) { _, beside in beside }
        }
    }

    var number: Int? { value as? Int }
    var text: String? { value as? String }
    var texts: [String]? { value as? [String] }
    var members: [String: DocumentValue] { (value as? [String: Any] ?? [:]).mapValues { DocumentValue(value: $0) } }

    /// All values under a name, wherever they are.
    func all(_ name: String) -> [Any] {
        switch value {
        case let object as [String: Any]:
            object.flatMap { key, value in
                (key == name ? [value] : []) + DocumentValue(value: value).all(name)
            }
        case let list as [Any]: list.flatMap { DocumentValue(value: $0).all(name) }
        default: []
        }
    }
}
