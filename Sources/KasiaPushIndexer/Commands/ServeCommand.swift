import ArgumentParser
import Foundation
import Indexer
import Logging
import Metrics
import API
import ServiceLifecycle
import Store

/// `kasia-push-indexer serve`: the service itself, until SIGTERM or SIGINT.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Follow the node, answer apps, send pushes.")

    /// How long the process waits for RocksDB to stop its compactions before it ends.
    private static let closingTime = Duration.seconds(10)

    @OptionGroup var options: ConfigurationOptions

    @Option(
        name: .long,
        help: "Where a fresh store starts: pruning-point (all the history the node has) or sink (only what comes next)."
    )
    var from: String = ChainIndexing.Start.pruningPoint.rawValue

    func validate() throws {
        guard ChainIndexing.Start(rawValue: from) != nil else {
            throw ValidationError("--from \(from) is not known: use pruning-point or sink")
        }
    }

    func run() async throws {
        let events = RecentEvents()
        let configuration = try options.load(events: events)
        let metrics = PrometheusRegistry()
        MetricsSystem.bootstrap(metrics)
        let exporters = try TracingBackend.bootstrap()
        let logger = Logger(label: "kasia-push-indexer")
        let options = options
        do {
            // The process must not end while RocksDB's threads are running.
            let closing = try await ServeCommand.serve {
                try await IndexerService(
                    configuration: configuration, start: ChainIndexing.Start(rawValue: from) ?? .pruningPoint,
                    metrics: metrics, logger: logger, events: events,
                    reload: { () throws(ConfigurationError) in try options.read() },
                    notifier: SystemdNotifier(environment: ProcessInfo.processInfo.environment), exporters: exporters)
            }
            if let closing, !(await closing.wait(atMost: ServeCommand.closingTime)) {
                logger.warning("store.not_closed")
            }
        } catch let error as StoreError {
            FatalLine.write("\(configuration.store.place): \(error)", format: configuration.log.format)
            throw ExitCode.failure
        } catch let error as StartError {
            FatalLine.write("\(error)", format: configuration.log.format)
            throw error.isConfiguration ? ExitCode.configuration : ExitCode.failure
        } catch {
            FatalLine.write("\(error)", format: configuration.log.format)
            throw ExitCode.failure
        }
    }

    /// Runs a service and releases it; nil if it was stopped before it had a store.
    private static func serve(_ make: () async throws -> IndexerService) async throws -> StoreClosing? {
        do {
            let service = try await make()
            try await service.run()
            return service.store.closing
        } catch let stop as StandbyStopped {
            return stop.closing
        }
    }
}
