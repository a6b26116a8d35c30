import API
import Logging

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Makes the log handlers of a process, with a common level, format and output.
struct LogHandlerFactory: Sendable {
    let level: Logger.Level
    let format: LogFormat
    let output: LogOutput
    let clock: @Sendable () -> LogTimestamp
    /// Suppresses repeated lines; nil writes every line.
    let repeats: SharedLogRepeats?
    /// Gets warnings and errors, for the status page.
    let events: RecentEvents?

    init(
        level: Logger.Level, format: LogFormat, output: LogOutput = .standardError,
        clock: @escaping @Sendable () -> LogTimestamp = LogTimestamp.now, repeats: SharedLogRepeats? = nil,
        events: RecentEvents? = nil
    ) {
        self.level = level
        self.format = format
        self.output = output
        self.clock = clock
        self.repeats = repeats
        self.events = events
    }

    /// Makes a logger with this factory's handler, whatever the process's logging system is.
    func logger(label: String) -> Logger {
        Logger(label: label) { handler(label: $0, metadataProvider: nil) }
    }

    /// Makes every logger of the process use this factory.
    ///
    /// Call it once, before the first logger is made.
    func bootstrap() {
        // If the reader of a pipe goes away, the next log line must not end the service.
        signal(SIGPIPE, SIG_IGN)
        LoggingSystem.bootstrap({ handler(label: $0, metadataProvider: $1) }, metadataProvider: nil)
    }

    func handler(label: String, metadataProvider: Logger.MetadataProvider?) -> IndexerLogHandler {
        IndexerLogHandler(
            label: label, format: format, output: output, clock: clock, repeats: repeats, events: events,
            logLevel: level, metadataProvider: metadataProvider)
    }
}
