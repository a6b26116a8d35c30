public import Logging
public import ServiceLifecycle
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// A stand-in for Apple's push service that speaks the real thing: TLS 1.2 or later and HTTP/2.
///
/// It checks what Apple checks, remembers what arrived, and misbehaves on command. Run it as a service, or call
/// ``start()`` and ``stop()``; everything else may be called from anywhere at any time.
public final class APNsSandbox: Service, Sendable {
    private enum Phase {
        case new
        case starting
        case listening(any Channel, port: Int)
        case stopped
    }

    /// The certificate (PEM) of the authority that signed this sandbox's certificate: what a client must trust.
    public let certificateAuthorityPEM: String

    private let core: SandboxCore
    private let tls: NIOSSLContext
    private let phase = Mutex(Phase.new)

    /// Makes a certificate authority and a certificate, and reads the keys; nothing listens yet.
    ///
    /// - Throws: ``SandboxError`` if a key is not a P-256 key in PEM.
    public init(configuration: SandboxConfiguration, logger: Logger) throws {
        let authority = try CertificateAuthority(serverName: configuration.host)
        certificateAuthorityPEM = authority.certificatePEM
        tls = try authority.makeServerContext()
        core = try SandboxCore(configuration: configuration, logger: logger)
    }

    /// The port that is listened on; 0 before ``start()`` and after ``stop()``.
    public var boundPort: Int {
        phase.withLock { if case .listening(_, let port) = $0 { port } else { 0 } }
    }

    /// `https://HOST:PORT`, with a host that the certificate is valid for.
    public var origin: String {
        let host = core.configuration.host
        let name = ["0.0.0.0", "::", ""].contains(host) ? "localhost" : host
        return "https://\(name.contains(":") ? "[\(name)]" : name):\(boundPort)"
    }

    // MARK: Life

    /// Listens; does nothing if it does already.
    ///
    /// - Throws: ``SandboxError`` if the address is not free, or the sandbox was stopped.
    public func start() async throws {
        let isMine = try phase.withLock { phase in
            switch phase {
            case .new:
                phase = .starting
                return true
            case .starting, .listening: return false
            case .stopped: throw SandboxError(.stopped, "The sandbox was stopped; make another one.")
            }
        }
        guard isMine else { return }
        let configuration = core.configuration
        do {
            let channel = try await bootstrap().bind(host: configuration.host, port: configuration.port).get()
            let port = channel.localAddress?.port ?? configuration.port
            phase.withLock { $0 = .listening(channel, port: port) }
            core.logger.info("Sandbox listens", metadata: ["host": "\(configuration.host)", "port": "\(port)"])
        } catch {
            phase.withLock { $0 = .new }
            throw SandboxError(
                .cannotListen, "Cannot listen on \(configuration.host):\(configuration.port): \(error)")
        }
    }

    /// Listens until a graceful shutdown or a cancellation, and then stops.
    public func run() async throws {
        try await start()
        try? await gracefulShutdown()
        await stop()
    }

    /// Stops listening, says GOAWAY, lets requests be answered for at most the configured time, and closes.
    public func stop() async {
        let listener: (any Channel)? = phase.withLock { phase in
            defer { phase = .stopped }
            if case .listening(let channel, _) = phase { return channel } else { return nil }
        }
        guard let listener else { return }
        try? await listener.close().get()
        let (connections, silent) = core.stopAdmission()
        for socket in silent { socket.close(promise: nil) }
        core.broadcast(.goAway(SandboxGoAway(lastStream: .all, debugData: #"{"reason":"Shutdown"}"#)))
        let deadline = listener.eventLoop.scheduleTask(in: TimeAmount(core.configuration.drainTimeout)) { [core] in
            core.broadcast(.close)
        }
        for connection in connections + silent { try? await connection.closeFuture.get() }
        deadline.cancel()
        core.journal.close()
    }

    private func bootstrap() -> ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { [core, tls] channel in
                ConnectionSetup(core: core, tls: tls).configure(channel)
            }
    }

    // MARK: What arrived

    /// How much has arrived since the start, or since ``forgetNotifications()``.
    public var counts: SandboxCounts {
        let connections = core.connectionCounts
        return SandboxCounts(
            openConnections: connections.open, connections: connections.total,
            requests: core.journal.total(.requests), notifications: core.journal.total(.notifications))
    }

    /// The accepted notifications that are kept, in the order of their acceptance.
    public var notifications: [ReceivedNotification] { core.journal.entries(.notifications) }

    /// All requests that are kept, accepted or not, in the order of their end.
    public var requests: [ReceivedNotification] { core.journal.entries(.requests) }

    /// The accepted notifications to one device.
    public func notifications(to token: String) -> [ReceivedNotification] {
        notifications.filter { $0.token == token }
    }

    /// Waits until `count` notifications (to `token`, if one is named) have been accepted, and returns them.
    ///
    /// - Throws: ``SandboxError`` with the code `timeout`, or `stopped`; `CancellationError`.
    @discardableResult
    public func waitForNotifications(
        count: Int, to token: String? = nil, timeout: Duration = .seconds(30)
    ) async throws -> [ReceivedNotification] {
        try await core.journal.wait(for: count, in: .notifications, timeout: timeout) { entry in
            token.map { $0 == entry.token } ?? true
        }
    }

    /// Waits until `count` requests that match have ended, answered or not, and returns them.
    ///
    /// - Throws: ``SandboxError`` with the code `timeout`, or `stopped`; `CancellationError`.
    @discardableResult
    public func waitForRequests(
        count: Int, timeout: Duration = .seconds(30),
        where matches: @escaping @Sendable (ReceivedNotification) -> Bool = { _ in true }
    ) async throws -> [ReceivedNotification] {
        try await core.journal.wait(for: count, in: .requests, timeout: timeout, where: matches)
    }

    /// Requests as they end, from now on; a reader that falls `limit` behind loses the oldest.
    public func requestStream(bufferingNewest limit: Int = 10_000) -> AsyncStream<ReceivedNotification> {
        core.journal.stream(bufferingNewest: limit)
    }

    /// Empties the logs and their counts.
    public func forgetNotifications() {
        core.journal.forget()
    }

    // MARK: Misbehaviour

    /// Adds a rule after those there are.
    public func addRule(_ rule: SandboxRule) {
        core.withRules { $0.add(rule) }
    }

    /// Removes the rules of this name; says how many there were.
    @discardableResult
    public func removeRules(named name: String) -> Int {
        core.withRules { $0.remove(named: name) }
    }

    /// Removes every rule: from now on all requests get the usual answers.
    public func removeAllRules() {
        core.withRules { $0.removeAll() }
    }

    /// Does what a script says.
    public func apply(_ script: SandboxScript) {
        core.apply(script)
    }

    /// Announces another stream limit (0 to 1,000,000) on every connection, present and future.
    public func setMaximumStreams(_ count: Int) {
        core.setMaximumStreams(count)
    }

    /// Sends GOAWAY on every open connection.
    public func sendGoAway(_ goAway: SandboxGoAway = SandboxGoAway()) {
        core.broadcast(.goAway(goAway))
    }

    /// Cuts every open connection, without GOAWAY and without TLS's farewell.
    public func closeConnections() {
        core.broadcast(.close)
    }

    /// Turns new connections away for a while; a duration of zero lets them in again.
    public func refuseConnections(_ refusal: SandboxRefusal) {
        core.refuse(refusal)
    }
}
