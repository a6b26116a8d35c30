import API
import Logging

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Makes the handlers of a process: one level, one format, one place to write to.
struct LogHandlerFactory: Sendable {
    let level: Logger.Level
    let format: LogFormat
    let output: LogOutput
    let clock: @Sendable () -> LogTimestamp
    /// Nil writes every line.
    let repeats: SharedLogRepeats?
    /// Takes in warnings and errors, for the status page.
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

    /// Makes a logger that writes here, whatever the process's logging system is.
    func logger(label: String) -> Logger {
        Logger(label: label) { handler(label: $0, metadataProvider: nil) }
    }

    /// Makes every logger of the process write here; to be called once, before the first logger is made.
    func bootstrap() {
        // Whoever reads the log through a pipe may go away; the next line must not end the service.
        signal(SIGPIPE, SIG_IGN)
        LoggingSystem.bootstrap({ handler(label: $0, metadataProvider: $1) }, metadataProvider: nil)
    }

    func handler(label: String, metadataProvider: Logger.MetadataProvider?) -> IndexerLogHandler {
        IndexerLogHandler(
            label: label, format: format, output: output, clock: clock, repeats: repeats, events: events,
            logLevel: level, metadataProvider: metadataProvider)
    }
}
