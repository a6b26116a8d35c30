import Clocks
import FoundationEssentials
import JSON
import Logging

/// The format of log lines.
enum LogFormat: String, CaseIterable, Sendable {
    /// For people: time, level, label, message, metadata.
    case text
    /// For machines: one JSON object on each line.
    case json
}

/// One log line before it is written.
///
/// It always stays one line: control characters, line separators and marks of text direction are escaped.
struct LogLine: Sendable {
    /// The longest message or value, in bytes, so that a hostile input cannot fill the disk.
    static let maximumValueBytes = 4_096

    var time: LogTimestamp
    var level: Logger.Level
    var label: String
    var message: String
    var metadata: Logger.Metadata

    /// The line in a format, with its line feed.
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

    /// The value, as a JSON string if it would be ambiguous.
    private static func textValue(_ value: String) -> String {
        let isPlain = value.unicodeScalars.allSatisfy { scalar in
            !scalar.properties.isWhitespace && !JSONText.isUnprintable(scalar) && scalar != "\"" && scalar != "="
                && scalar != "\\"
        }
        let value = bounded(value)
        return isPlain && !value.isEmpty ? value : JSONText.quoted(value)
    }

    /// Escaped like a JSON string, but without quotation marks around it, and without escaping those inside.
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

/// A moment in UTC, to the millisecond.
struct LogTimestamp: Sendable, Hashable, CustomStringConvertible {
    /// Milliseconds since 1970.
    let milliseconds: Int64

    /// The current time of the system's clock.
    static func now() -> LogTimestamp {
        LogTimestamp(milliseconds: Int64(clamping: SystemTime.milliseconds()))
    }

    /// RFC 3339, for example `2026-01-02T03:04:05.678Z`.
    ///
    /// The milliseconds are formatted here: `Date` stores binary fractions of seconds, and its format truncates them.
    var description: String {
        let part = (milliseconds % 1_000 + 1_000) % 1_000
        let seconds = Date(timeIntervalSince1970: Double((milliseconds - part) / 1_000)).formatted(.iso8601)
        let digits = String(part)
        return seconds.dropLast() + "." + String(repeating: "0", count: 3 - digits.utf8.count) + digits + "Z"
    }
}
