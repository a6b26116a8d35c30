import Logging
import Synchronization

/// Keeps what is logged, a line for each event.
final class LogCapture: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    var logger: Logger {
        var logger = Logger(label: "test") { [self] _ in Handler(capture: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let capture: LogCapture
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            let names = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()
            let line = ["\(event.level)", "\(event.message)"] + names
            capture.kept.withLock { $0.append(line.joined(separator: " ")) }
        }
    }
}
