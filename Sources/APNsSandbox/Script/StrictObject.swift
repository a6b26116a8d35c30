import FoundationEssentials

/// A JSON object with a fixed set of allowed keys, whose errors tell a person what to change.
struct StrictObject {
    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let container: KeyedDecodingContainer<Key>

    /// - Throws: `DecodingError` for another kind of value, or a key that is not in `keys`.
    init(_ decoder: any Decoder, keys: [String]) throws {
        container = try decoder.container(keyedBy: Key.self)
        for key in container.allKeys where !keys.contains(key.stringValue) {
            throw Self.error(
                at: container.codingPath,
                "there is no key \"\(key.stringValue)\" here; possible are \(keys.joined(separator: ", "))")
        }
    }

    func has(_ key: String) -> Bool {
        container.contains(Key(stringValue: key))
    }

    func value<Value: Decodable>(_ type: Value.Type, _ key: String) throws -> Value? {
        guard has(key) else { return nil }
        return try container.decode(type, forKey: Key(stringValue: key))
    }

    func whole<Value: Decodable & FixedWidthInteger>(_ type: Value.Type, _ key: String) throws -> Value? {
        guard has(key) else { return nil }
        // Foundation reports a fraction and a text differently; both are the same mistake.
        guard let value = try? value(type, key) else {
            throw error(key, Value.isSigned ? "must be a whole number" : "must be a whole number, not negative")
        }
        return value
    }

    func integer(_ key: String, _ range: ClosedRange<Int>) throws -> Int? {
        guard let value = try whole(Int.self, key) else { return nil }
        guard range.contains(value) else { throw outOfRange(key, "\(range.lowerBound) to \(range.upperBound)") }
        return value
    }

    func number(_ key: String, _ range: ClosedRange<Double>) throws -> Double? {
        guard let value = try value(Double.self, key) else { return nil }
        guard range.contains(value) else { throw outOfRange(key, "\(range.lowerBound) to \(range.upperBound)") }
        return value
    }

    /// A number of seconds as a duration, at most `limit`.
    func duration(_ key: String, upTo limit: Double) throws -> Duration? {
        try number(key, 0...limit).map { .nanoseconds(Int64($0 * 1e9)) }
    }

    func word<Word: RawRepresentable & CaseIterable>(_ type: Word.Type, _ key: String) throws -> Word?
    where Word.RawValue == String {
        guard let text = try value(String.self, key) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw error(key, "must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    /// A flag, which must be true or left out: for `"silence": false`, for example, the effect would be unclear.
    func flag(_ key: String) throws -> Bool {
        guard let value = try value(Bool.self, key) else { return false }
        guard value else { throw error(key, "must be true, or left out") }
        return true
    }

    func error(_ key: String, _ sentence: String) -> DecodingError {
        Self.error(at: container.codingPath + [Key(stringValue: key)], sentence)
    }

    func error(_ sentence: String) -> DecodingError {
        Self.error(at: container.codingPath, sentence)
    }

    private func outOfRange(_ key: String, _ range: String) -> DecodingError {
        error(key, "must be from \(range)")
    }

    private static func error(at path: [any CodingKey], _ sentence: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: path, debugDescription: sentence))
    }
}

extension DecodingError {
    /// The place and the mistake, for the person who wrote the script.
    var sentence: String { sentence(about: "The script") }

    /// The place and the mistake, for the person who wrote the JSON, which `subject` names.
    func sentence(about subject: String) -> String {
        switch self {
        case .dataCorrupted(let context):
            return context.place(context.debugDescription, subject)
        case .typeMismatch(let type, let context):
            return context.place("must be \(Self.noun(for: type))", subject)
        case .valueNotFound(let type, let context):
            return context.place("must be \(Self.noun(for: type)), not null", subject)
        case .keyNotFound(let key, let context):
            return context.place("lacks the key \"\(key.stringValue)\"", subject)
        @unknown default:
            return "\(subject) cannot be read: \(self)."
        }
    }

    private static func noun(for type: any Any.Type) -> String {
        if type == String.self { return "a text" }
        if type == Bool.self { return "true or false" }
        if type == Double.self { return "a number" }
        return type is any Collection.Type && !(type is [String: Any].Type) ? "an array" : "an object"
    }
}

extension DecodingError.Context {
    fileprivate func place(_ fault: String, _ subject: String) -> String {
        var path = ""
        for key in codingPath {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return path.isEmpty ? "\(subject): \(fault)." : "\(path): \(fault)."
    }
}
