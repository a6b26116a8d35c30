import ArgumentParser
import Foundation
import KaspaNode
import Logging
import Recordings
import ServiceLifecycle
import UnixSignals

/// `kasia-push-indexer record FILE`: records a live node's answers.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record a live node (node.urls) into a file that kaspad-replay serves.",
        discussion: "Stops after --seconds, or at Ctrl-C; the file is whole then.")

    @Argument(help: "The file to write; it must not exist.")
    var file: String

    @Option(name: .long, help: "How long to record, in seconds; without it, until Ctrl-C.")
    var seconds: Int?

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard (seconds ?? 1) > 0 else { throw ValidationError("--seconds must be at least 1") }
        guard !FileManager.default.fileExists(atPath: file) else {
            throw ValidationError("\(file) is there already: choose another name")
        }
    }

    func run() async throws {
        let nodes = NodeConfiguration(try options.load())
        do {
            try nodes.checkAuthority()
        } catch {
            StandardError.say("node.ca_path: \(error)")
            throw ExitCode.configuration
        }
        let logger = Logger(label: "kasia-push-indexer")
        let recorder = NodeRecorder(
            configuration: nodes, path: file, duration: seconds.map { .seconds($0) }, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await report(recorder.progress) }
            let service = ServiceGroupConfiguration.ServiceConfiguration(
                service: recorder, successTerminationBehavior: .gracefullyShutdownGroup)
            try await ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
            ).run()
            try await group.waitForAll()
        }
    }

    /// Prints the progress now and then.
    private func report(_ progress: AsyncStream<RecordingProgress>) async {
        var last = ContinuousClock.now
        var latest: RecordingProgress?
        for await state in progress {
            latest = state
            guard ContinuousClock.now - last >= .seconds(5) else { continue }
            last = .now
            say(state)
        }
        if let latest { say(latest) }
    }

    private func say(_ progress: RecordingProgress) {
        let changes = Counted(progress.virtualChainChanges, "change")
        StandardError.say("\(Counted(progress.blocks, "block")), \(changes) of the virtual chain recorded")
    }
}
