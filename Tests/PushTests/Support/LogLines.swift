import Logging
import Synchronization

/// Collects what a logger writes: the message, then its metadata sorted by key.
final class LogLines: Sendable {
    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            lines.append(([event.message.description] + all).joined(separator: " "))
        }
    }

    private let lines = Mutex<[String]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    /// The lines of this message.
    func of(_ message: String) -> [String] { lines.withLock { $0.filter { $0.hasPrefix(message + " ") } } }

    private func append(_ line: String) { lines.withLock { $0.append(line) } }
}
