import ArgumentParser
import Foundation
import KaspadReplay
import Logging
import Recordings
import ServiceLifecycle
import UnixSignals

/// `serve`: plays a recording to whoever connects, and goes on answering after its end.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Play a recording to whoever connects.")

    @Argument(help: "The recording.")
    var file: String

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 takes a free one.")
    var port: UInt16 = 16110

    @Option(help: ArgumentHelp("Serve TLS with this certificate; needs --tls-key.", valueName: "PEM file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("The key of --tls-cert.", valueName: "PEM file"))
    var tlsKey: String?

    @Option(help: "How many times faster than it happened (0.001 to 1000000), or max.")
    var speed = Speed.real

    @Flag(help: "Move block times to the present, so that the blocks are new enough to be pushed.")
    var moveTimes = false

    @Flag(help: "Answer at once, and play on from the first moment at a line on standard input (the Return key).")
    var waitForLine = false

    @Option(help: "The most chain blocks in one answer about the virtual chain.")
    var batch = 10

    @Option(help: "Hang up on everybody every so many seconds.")
    var disconnectEvery: Double?

    @Option(help: "Say for so many seconds that the node is not synced.")
    var notSyncedFor: Double?

    @Option(help: "Send each notification so many times more.")
    var repeatNotifications = 0

    @Flag(help: "Send no notifications.")
    var dropNotifications = false

    func validate() throws {
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key go together")
        }
        guard batch > 0 else { throw ValidationError("--batch must be at least 1") }
        guard (0...100).contains(repeatNotifications) else {
            throw ValidationError("--repeat-notifications must be 0 to 100")
        }
        for seconds in [disconnectEvery, notSyncedFor].compactMap(\.self) {
            guard (0.1...86_400).contains(seconds) else {
                throw ValidationError("--disconnect-every and --not-synced-for must be 0.1 to 86400 seconds")
            }
        }
    }

    func run() async throws {
        var logger = Logger(label: "kaspad-replay") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .info
        var configuration = ReplayConfiguration()
        configuration.host = host
        configuration.port = Int(port)
        if let tlsCert, let tlsKey { configuration.tls = (tlsCert, tlsKey) }
        configuration.pace = speed.pace
        if moveTimes { configuration.blockTimes = .moved }
        configuration.batch = batch
        if waitForLine { configuration.begins = StandardInput.line }
        let node = try ReplayNode(recording: Recording(contentsOf: file), configuration: configuration, logger: logger)
        node.setFaults {
            $0.dropsNotifications = dropNotifications
            $0.notificationRepeats = repeatNotifications
            $0.isSynced = notSyncedFor == nil
        }
        let group = ServiceGroup(
            services: [
                node, Announcement(node: node, host: host, usesTLS: tlsCert != nil),
                Disturbance(command: self, node: node),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }
}

/// Prints where the node listens, for the reader and for scripts.
private struct Announcement: Service {
    let node: ReplayNode
    let host: String
    let usesTLS: Bool

    func run() async throws {
        let port = try await node.boundPort
        let name = host.contains(":") ? "[\(host)]" : host
        let scheme = usesTLS ? "https" : "http"
        FileHandle.standardOutput.write(Data("listening on \(scheme)://\(name):\(port)\n".utf8))
        try? await gracefulShutdown()
    }
}

/// The faults that come with time.
private struct Disturbance: Service {
    let disconnectEvery: Double?
    let notSyncedFor: Double?
    let node: ReplayNode

    init(command: ServeCommand, node: ReplayNode) {
        disconnectEvery = command.disconnectEvery
        notSyncedFor = command.notSyncedFor
        self.node = node
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            try? await withThrowingDiscardingTaskGroup { group in
                if let notSyncedFor {
                    group.addTask {
                        try await Task.sleep(for: .seconds(notSyncedFor))
                        node.setFaults { $0.isSynced = true }
                    }
                }
                group.addTask {
                    while true {
                        try await Task.sleep(for: .seconds(disconnectEvery ?? 86_400))
                        if disconnectEvery != nil { node.disconnectAll() }
                    }
                }
            }
        }
    }
}
