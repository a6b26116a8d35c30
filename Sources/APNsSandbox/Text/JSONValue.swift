import FoundationEssentials

/// Any JSON value.
enum JSONValue: Decodable, Equatable {
    case null
    case truth(Bool)
    case number(Double)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads a JSON text; nil if it is not one, or is nested too deeply.
    init?(_ bytes: [UInt8]) {
        guard JSONScanner.isObject(bytes), let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        else { return nil }
        self = value
    }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let truth = try? value.decode(Bool.self) {
            self = .truth(truth)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let array = try? value.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    /// The text, if it is one.
    var text: String? { if case .text(let text) = self { text } else { nil } }
}
