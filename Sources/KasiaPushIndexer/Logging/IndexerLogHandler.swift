import API
import Logging
import Synchronization

/// Writes swift-log's events as single lines.
struct IndexerLogHandler: LogHandler {
    /// The logger's name.
    let label: String
    let format: LogFormat
    let output: LogOutput
    let clock: @Sendable () -> LogTimestamp
    /// Suppresses repeated lines, for all loggers of the process together; nil writes every line.
    let repeats: SharedLogRepeats?
    /// Gets warnings and errors, including suppressed ones.
    let events: RecentEvents?
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an event.
    ///
    /// Of a repeated key, the event's value wins over the provider's, and that over the logger's.
    func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        if let own = event.metadata { all.merge(own) { $1 } }
        // Drop the HTTP library's own request id: the answer has ours.
        if all["request.id"] != nil { all["hb.request.id"] = nil }
        let time = clock()
        let message = event.message.description
        events?.note(
            level: event.level, label: label, message: message, metadata: all,
            at: UInt64(max(0, time.milliseconds)))
        if let repeats {
            let decision = repeats.decide(label: label, level: event.level, message: message, time: time)
            for ended in decision.ended { write(ended, time) }
            guard decision.isWritten else { return }
        }
        write(LogLine(time: time, level: event.level, label: label, message: message, metadata: all))
    }

    private func write(_ ended: LogRepeats.Decision.Ended, _ time: LogTimestamp) {
        write(
            LogLine(
                time: time, level: ended.kind.level, label: ended.kind.label, message: ended.kind.message,
                metadata: ["log.held_back": "\(ended.count)"]))
    }

    private func write(_ line: LogLine) { output.write(line.formatted(as: format)) }
}

/// `LogRepeats` that all loggers of a process share.
final class SharedLogRepeats: Sendable {
    private let repeats = Mutex(LogRepeats())

    func decide(label: String, level: Logger.Level, message: String, time: LogTimestamp) -> LogRepeats.Decision {
        let kind = LogRepeats.Kind(label: label, level: level, message: message)
        return repeats.withLock { $0.decide(kind, now: time.milliseconds) }
    }
}
