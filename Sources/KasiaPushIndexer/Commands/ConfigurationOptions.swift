import API
import ArgumentParser
import Foundation
import Logging
import Synchronization

/// The options of every command that reads the configuration.
struct ConfigurationOptions: ParsableArguments {
    private static let hasLogging = Mutex(false)

    @Option(name: .long, help: "The configuration file. Without it, config/indexer.yaml is read if it is there.")
    var config: String?

    /// Reads the configuration and sets up logging.
    ///
    /// On mistakes, prints a line for each and exits. `events` also gets the log's warnings and errors.
    func load(events: RecentEvents? = nil) throws -> IndexerConfiguration {
        let configuration = try loaded().configuration
        // Logging is set up once a process, but some commands read the configuration several times.
        let isFirst = ConfigurationOptions.hasLogging.withLock { hasLogging in
            defer { hasLogging = true }
            return !hasLogging
        }
        if isFirst {
            LogHandlerFactory(
                level: configuration.log.level, format: configuration.log.format, repeats: SharedLogRepeats(),
                events: events
            ).bootstrap()
        }
        return configuration
    }

    /// Reads the configuration with the origin of each value.
    ///
    /// On mistakes, prints a line for each and exits.
    func loaded() throws -> LoadedConfiguration {
        do throws(ConfigurationError) {
            return try LoadedConfiguration.load(file: config, environment: ProcessInfo.processInfo.environment)
        } catch {
            StandardError.say("\(error)")
            throw ExitCode.configuration
        }
    }

    /// Reads the configuration, and nothing else.
    func read() throws(ConfigurationError) -> IndexerConfiguration {
        try IndexerConfiguration.load(file: config, environment: ProcessInfo.processInfo.environment)
    }
}

extension ExitCode {
    /// EX_CONFIG of sysexits.h.
    static let configuration = ExitCode(78)
}
