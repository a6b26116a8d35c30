package import Logging
import Synchronization

/// Keeps what is logged, at every level.
package final class RecordedLogs: Sendable {
    /// One line of a log.
    package struct Event: Sendable {
        package let level: Logger.Level
        package let message: String
        /// The line's own, and its logger's.
        package let metadata: Logger.Metadata

        /// The message, and the metadata sorted by key.
        package var text: String {
            let values = metadata.map { "\($0.key)=\($0.value)" }.sorted()
            return ([message] + values).joined(separator: " ")
        }
    }

    private struct Handler: LogHandler {
        let logs: RecordedLogs
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            logs.kept.withLock {
                $0.append(Event(level: event.level, message: event.message.description, metadata: all))
            }
        }
    }

    private let kept = Mutex<[Event]>([])

    package init() {}

    /// What was logged so far, in order.
    package var events: [Event] { kept.withLock { $0 } }

    /// The texts of one message's lines.
    package func texts(of message: String) -> [String] { events.filter { $0.message == message }.map(\.text) }

    /// Writes here.
    package var logger: Logger { Logger(label: "test") { _ in Handler(logs: self) } }
}
