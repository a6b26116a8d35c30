import Logging

/// Why the service cannot start: one sentence for the operator.
struct StartError: Error, CustomStringConvertible {
    let description: String
    /// Whether the configuration is at fault, so that another start would fail too.
    var isConfiguration = false
}

/// The last line of the service: why it does not start, or ends.
enum FatalLine {
    static let label = "kasia-push-indexer"
    static let message = "service.failed"

    /// The sentence alone, or as a JSON object in a log for machines.
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
