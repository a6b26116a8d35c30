/// How a log line looks.
enum LogFormat: String, CaseIterable, Sendable {
    /// For people: time, level, label, message, metadata.
    case text
    /// For machines: one JSON object a line.
    case json
}
