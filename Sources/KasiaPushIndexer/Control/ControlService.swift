import APNs
import Listeners
import Logging
import NIOCore
import NIOPosix
import Push
import ServiceLifecycle
import Store
import Synchronization

/// Serves maintenance commands that need the process that has the store.
struct ControlService: Service {
    /// Commands served at once, including those whose request has not arrived.
    ///
    /// Further ones wait.
    static let maximumClients = 32

    let storePath: String
    let store: Store
    let registry: DeviceRegistry
    /// The client; nil if APNs is not configured.
    let client: APNsClient?
    let logger: Logger
    /// Allows one compaction at a time, since a second one would only repeat the first.
    var compaction = TryLock()
    /// How long a client may take to send its request before it is disconnected.
    var requestTimeout = Duration.seconds(5)
    /// Why sending waits, in a sentence; nil while all is well.
    var sendingTrouble: @Sendable () async -> String? = { nil }

    /// Serves commands.
    ///
    /// Without a socket the service still runs, but these commands do not work.
    func run() async throws {
        do {
            let socket = try ControlSocket(storePath: storePath)
            let server = try await bind(socket)
            defer { socket.remove() }
            // Not a child task: cancellation must not end accepting (see ListenerDrainHandler).
            let accepting = Task { try await server.executeThenClose { try await serve($0) } }
            do {
                try await withTaskCancellationOrGracefulShutdownHandler {
                    try await accepting.value
                } onCancelOrGracefulShutdown: {
                    server.channel.close(promise: nil)
                }
            } catch {
                logger.error("control.failed", metadata: ["error.message": "\(error)"])
            }
        } catch {
            logger.warning(
                "control.unavailable",
                metadata: [
                    "error.message": "\(error)",
                    "consequence": "backup, compact and devices remove need the service stopped",
                ])
        }
        // If this part returned, the whole service would stop.
        try? await gracefulShutdown()
    }

    private typealias Client = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private func bind(_ socket: ControlSocket) async throws -> NIOAsyncChannel<Client, Never> {
        try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelInitializer { ListenerDrainHandler.install(in: $0) }
            // A client may close its sending side after the request, and still gets the answer.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(try socket.makeListener()) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
    }

    private func serve(_ clients: NIOAsyncChannelInboundStream<Client>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running = 0
            for try await client in clients {
                if running >= ControlService.maximumClients {
                    try await group.next()
                    running -= 1
                }
                running += 1
                group.addTask { await cancelWhenGracefulShutdown { await serve(client) } }
            }
            group.cancelAll()
        }
    }

    private func serve(_ client: Client) async {
        // An error of one client concerns no other.
        try? await client.executeThenClose { inbound, outbound in
            @Sendable func write(_ reply: ControlReply) async throws {
                try await outbound.write(ByteBuffer(string: reply.line + "\n"))
            }
            var lines = LineReader(inbound)
            let channel = client.channel
            let silence = channel.eventLoop.scheduleTask(in: TimeAmount(requestTimeout)) { channel.close(promise: nil) }
            let first = try await lines.next()
            silence.cancel()
            guard let line = first else { return }
            guard let request = ControlRequest(line: line) else {
                return try await write(.failed("the running service does not know this request"))
            }
            do {
                // The work is finished even if the client is gone.
                try await write(.done(try await perform(request) { try? await write(.progress($0)) }))
            } catch {
                logger.error("control.request.failed", metadata: ["error.message": "\(error)"])
                try await write(.failed("\(error)"))
            }
        }
    }

    private func perform(
        _ request: ControlRequest, _ progress: @Sendable (String) async -> Void
    ) async throws -> String {
        switch request {
        case .ping:
            return "the service runs"
        case .backup(let directory):
            logger.notice("store.backup.started", metadata: ["directory": "\(directory)"])
            try await Backup.write(store, to: directory)
            logger.notice("store.backup.written", metadata: ["directory": "\(directory)"])
            return directory
        case .compact:
            guard compaction.tryLock() else {
                throw StartError(description: "the running service compacts already: wait for that to end")
            }
            defer { compaction.unlock() }
            logger.notice("store.compaction.started")
            let message = try await Compaction.run(store, progress)
            logger.notice("store.compaction.ended")
            return message
        case .keepProviderToken:
            guard let client else { throw StartError(description: "the running service has no apns.*") }
            try await client.prepareProviderToken()
            return "kept"
        case .sending:
            return await sendingTrouble() ?? ""
        case .remove(let token):
            let id = DeviceID(token: token)
            let wasRegistered = try await registry.remove(id)
            logger.notice("device.removed", metadata: ["device": "\(id)", "registered": "\(wasRegistered)"])
            return wasRegistered ? "removed" : "not registered"
        }
    }
}

/// A lock without waiting, which may be held across suspensions.
final class TryLock: Sendable {
    private let isLocked = Atomic(false)

    /// Returns whether the caller has the lock now.
    ///
    /// Then it must unlock it.
    func tryLock() -> Bool { !isLocked.exchange(true, ordering: .acquiring) }

    func unlock() { isLocked.store(false, ordering: .releasing) }
}
