import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Kaspa
import Listeners
package import Logging
import NIOCore
package import Recordings
import ServiceLifecycle
import Synchronization

/// A stand-in for kaspad: tells a recording over the real gRPC service and answers from what it has told so far.
///
/// What it can do wrong on request is in `ReplayFaults` and `ReplayNode+Control.swift`.
package final class ReplayNode: Service {
    struct State {
        var chain: ReplayChain
        var times: ReplayTimes?
        var playedCount = 0
        var faults = ReplayFaults()
        var sessions: [UInt64: (session: ReplaySession, subscriptions: ReplaySubscriptions)] = [:]
        var lastSessionID: UInt64 = 0
        /// The kinds of request that were refused because there is no data for them.
        var refusedRequests: Set<String> = []
        var isStopping = false
    }

    private enum TaskKind {
        case server
        case player
    }

    let recording: Recording
    let network: Network
    let configuration: ReplayConfiguration
    let logger: Logger
    let state: Mutex<State>
    private let connections: ReplayConnections
    private let transport: HTTP2ServerTransport.Posix

    /// Makes a node that listens and plays when it is run.
    ///
    /// Plays the recording through once without telling it: throws `malformed` or `inconsistent`, with the entry's
    /// number, for what no node tells.
    package init(recording: Recording, configuration: ReplayConfiguration, logger: Logger) throws(RecordingError) {
        guard let network = Network(recording.header.networkID) else {
            throw RecordingError(.malformed, "the recording's network is unknown: \(recording.header.networkID)")
        }
        let chain = try ReplayChain(recording.header)
        var trial = chain
        for (index, entry) in recording.entries.enumerated() {
            do throws(RecordingError) {
                try trial.apply(entry)
            } catch {
                throw RecordingError(error.code, "entry \(index): \(error.message)")
            }
        }
        self.recording = recording
        self.network = network
        self.configuration = configuration
        self.logger = logger
        state = Mutex(State(chain: chain))
        let connections = ReplayConnections()
        self.connections = connections
        transport = HTTP2ServerTransport.Posix(
            address: Self.socketAddress(configuration), transportSecurity: Self.security(configuration),
            config: .defaults {
                $0.rpc.maxRequestPayloadSize = 1 << 20
                $0.http2.targetWindowSize = 16 * 1024 * 1024
                $0.compression = .init(enabledAlgorithms: [.gzip])
                $0.channelDebuggingCallbacks.onBindTCPListener = { ListenerDrainHandler.install(in: $0) }
                $0.channelDebuggingCallbacks.onAcceptTCPConnection = { connection in
                    connections.add(connection)
                    return connection.eventLoop.makeSucceededVoidFuture()
                }
                // A client that looks after its connection is no offender.
                $0.connection.keepalive.clientBehavior = .init(
                    minPingIntervalWithoutCalls: .seconds(1), allowWithoutCalls: true)
            })
    }

    private static func security(
        _ configuration: ReplayConfiguration
    ) -> HTTP2ServerTransport.Posix.TransportSecurity {
        guard let tls = configuration.tls else { return .plaintext }
        return .tls(
            certificateChain: [.file(path: tls.certificatePath, format: .pem)],
            privateKey: .file(path: tls.keyPath, format: .pem))
    }

    /// The port listened on, as soon as there is one; throws when the node has stopped.
    ///
    /// Waits for `run()`.
    package var boundPort: Int {
        get async throws {
            let address = try await transport.listeningAddress
            return address.ipv4?.port ?? address.ipv6?.port ?? configuration.port
        }
    }

    /// Listens, and plays at the configured pace, until the graceful shutdown or cancellation.
    ///
    /// After the last entry it goes on answering.
    package func run() async throws {
        let server = GRPCServer(transport: transport, services: [ReplayService(node: self)])
        // Not a child, as cancellation is not how accepting ends (ListenerDrainHandler).
        let serving = Task {
            do {
                try await server.serve()
            } catch  where self.state.withLock({ $0.isStopping }) {
                // Stopped before it listened.
            }
        }
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: TaskKind.self) { group in
                group.addTask {
                    try await serving.value
                    return .server
                }
                group.addTask {
                    await self.play()
                    return .player
                }
                defer { group.cancelAll() }
                for try await ended in group where ended == .server { return }
            }
        } onCancelOrGracefulShutdown: {
            self.state.withLock { $0.isStopping = true }
            self.disconnectAll()
            server.beginGracefulShutdown()
            self.connections.stop()
        }
    }

    private func play() async {
        if let begins = configuration.begins {
            // A node that has been there has its pruning point.
            await advance(to: recording.entries.prefix { $0.offsetMs == 0 }.count)
            guard await begins() else { return }
            state.withLock { $0.times = nil }
        }
        startTimes()
        switch configuration.pace {
        case .stepped:
            return
        case .asFastAsPossible:
            await advanceToEnd()
        case .realTime(let factor):
            let start = ContinuousClock.now
            for (index, entry) in recording.entries.enumerated() {
                let offset = Duration.milliseconds(Double(entry.offsetMs) / max(factor, .leastNormalMagnitude))
                do { try await Task.sleep(until: start + offset) } catch { return }
                await advance(to: index + 1)
            }
        }
        logger.info("recording played", metadata: ["entries": "\(playedCount)"])
    }

    private static func socketAddress(_ configuration: ReplayConfiguration) -> GRPCNIOTransportCore.SocketAddress {
        switch configuration.host {
        case "localhost": .ipv4(host: "127.0.0.1", port: configuration.port)
        case let host where host.contains(":"): .ipv6(host: host, port: configuration.port)
        case let host: .ipv4(host: host, port: configuration.port)
        }
    }
}
