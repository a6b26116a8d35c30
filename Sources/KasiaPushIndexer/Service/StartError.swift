import Logging

/// Why the service cannot start: one sentence for the operator.
struct StartError: Error, CustomStringConvertible {
    let description: String
    /// Whether the configuration is at fault, so that another start would end in the same way.
    var isConfiguration = false
}

/// Why the service does not start, or ends: the last line it writes.
enum FatalLine {
    static let label = "kasia-push-indexer"
    static let message = "service.failed"

    /// In a log for machines one more object; in one for people the sentence alone.
    static func text(_ sentence: String, format: LogFormat, time: LogTimestamp) -> String {
        switch format {
        case .text: sentence + "\n"
        case .json:
            LogLine(
                time: time, level: .critical, label: label, message: message,
                metadata: ["error.message": "\(sentence)"]
            ).formatted(as: .json)
        }
    }

    static func write(_ sentence: String, format: LogFormat) {
        LogOutput.standardError.write(text(sentence, format: format, time: .now()))
    }
}
