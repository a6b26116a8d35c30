import JSON
import Logging

/// How a log line looks.
enum LogFormat: String, CaseIterable, Sendable {
    /// For people: time, level, label, message, metadata.
    case text
    /// For machines: one JSON object a line.
    case json
}

/// One log line before it is written.
///
/// Whatever a message or a value holds, the line stays one line: control characters, line separators and marks that
/// turn the direction of text are escaped.
struct LogLine: Sendable {
    /// Longer messages and values are cut to this many bytes, so that one hostile input cannot fill the disk.
    static let maximumValueBytes = 4_096

    var time: LogTimestamp
    var level: Logger.Level
    var label: String
    var message: String
    var metadata: Logger.Metadata

    /// The line in a format, its line feed included.
    func formatted(as format: LogFormat) -> String {
        switch format {
        case .text: text
        case .json: json
        }
    }

    /// `TIME LEVEL LABEL MESSAGE KEY=VALUE…`, keys sorted, values quoted where they would be ambiguous.
    private var text: String {
        var line = "\(time) \(level.rawValue) \(Self.escaped(label)) \(Self.escaped(Self.bounded(message)))"
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            line += " \(Self.textValue(key))=\(Self.textValue(Self.text(value)))"
        }
        return line + "\n"
    }

    /// `{"time","level","label","message","metadata"}`; `metadata` only if there is any.
    private var json: String {
        var json = JSONWriter(capacity: 256, escaping: .unprintable)
        json.object { json in
            json.member("time", time.description)
            json.member("level", level.rawValue)
            json.member("label", label)
            json.member("message", Self.bounded(message))
            guard !metadata.isEmpty else { return }
            json.name("metadata")
            Self.write(.dictionary(metadata), to: &json)
        }
        return json.text + "\n"
    }

    private static func text(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): text
        case .stringConvertible(let convertible): convertible.description
        case .array, .dictionary: json(value)
        }
    }

    private static func json(_ value: Logger.MetadataValue) -> String {
        var json = JSONWriter(escaping: .unprintable)
        write(value, to: &json)
        return json.text
    }

    private static func write(_ value: Logger.MetadataValue, to json: inout JSONWriter) {
        switch value {
        case .string, .stringConvertible: json.string(bounded(text(value)))
        case .array(let items): json.array { json in for item in items { write(item, to: &json) } }
        case .dictionary(let members):
            json.object { json in
                for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                    json.name(key)
                    write(value, to: &json)
                }
            }
        }
    }

    /// As it is if nothing in it could be taken for something else, else as a JSON string.
    private static func textValue(_ value: String) -> String {
        let isPlain = value.unicodeScalars.allSatisfy { scalar in
            !scalar.properties.isWhitespace && !JSONText.isUnprintable(scalar) && scalar != "\"" && scalar != "="
                && scalar != "\\"
        }
        let value = bounded(value)
        return isPlain && !value.isEmpty ? value : JSONText.quoted(value)
    }

    /// Escaped like a JSON string, but without quotation marks around it and with those inside left alone.
    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { JSONText.isUnprintable($0) || $0 == "\\" }) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            result += scalar == "\"" ? "\"" : JSONText.quoted(String(scalar)).dropFirst().dropLast()
        }
    }

    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > maximumValueBytes else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: maximumValueBytes)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return text[..<end] + "…"
    }
}
