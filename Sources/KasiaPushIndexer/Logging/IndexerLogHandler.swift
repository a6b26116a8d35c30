import Logging

/// Writes swift-log's events as single lines.
struct IndexerLogHandler: LogHandler {
    /// The logger's name.
    let label: String
    let format: LogFormat
    let output: LogOutput
    let clock: @Sendable () -> LogTimestamp
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Of a key that comes more than once, the event's value wins over the provider's, and that over the logger's.
    func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        if let own = event.metadata { all.merge(own) { $1 } }
        let line = LogLine(
            time: clock(), level: event.level, label: label, message: event.message.description, metadata: all)
        output.write(line.formatted(as: format))
    }
}
