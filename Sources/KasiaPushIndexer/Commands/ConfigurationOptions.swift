import ArgumentParser
import Foundation
import Logging

/// The options of every command that reads the configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .long, help: "The configuration file. Without it, config/indexer.yaml is read if it is there.")
    var config: String?

    /// Reads the configuration, and sets up logging by it; a mistake ends the program with a line for each.
    func load() throws -> IndexerConfiguration {
        do throws(ConfigurationError) {
            let configuration = try read()
            LogHandlerFactory(level: configuration.log.level, format: configuration.log.format).bootstrap()
            return configuration
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            throw ExitCode(Int32(78))  // EX_CONFIG of sysexits.h
        }
    }

    /// Reads the configuration, and nothing else.
    func read() throws(ConfigurationError) -> IndexerConfiguration {
        try IndexerConfiguration.load(file: config, environment: ProcessInfo.processInfo.environment)
    }
}
