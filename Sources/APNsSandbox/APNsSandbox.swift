public import Logging
public import ServiceLifecycle
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// A stand-in for Apple's push service, and on request for Google's and a Web Push service, over TLS 1.2 or later and
/// HTTP/2.
///
/// It checks what they check, records requests, and misbehaves on command. Run it as a service, or call ``start()``
/// and ``stop()``. Everything else may be called from anywhere at any time.
public final class APNsSandbox: Service, Sendable {
    private enum Phase {
        case new
        case starting
        case listening(Listeners)
        case stopped
    }

    private struct Listeners {
        var channel: any Channel
        var development: (any Channel)?

        var all: [any Channel] { [channel] + (development.map { [$0] } ?? []) }
    }

    /// The PEM certificate of the authority that signed this sandbox's certificate.
    ///
    /// A client must trust it.
    public let certificateAuthorityPEM: String

    let core: SandboxCore
    private let tls: NIOSSLContext
    private let phase = Mutex(Phase.new)

    /// Makes a certificate authority and a certificate, and reads the keys.
    ///
    /// It does not listen yet.
    ///
    /// - Throws: ``SandboxError`` if a key is not a P-256 key in PEM.
    public init(configuration: SandboxConfiguration, logger: Logger) throws {
        let authority = try CertificateAuthority(serverName: configuration.host)
        certificateAuthorityPEM = authority.certificatePEM
        tls = try authority.makeServerContext()
        core = try SandboxCore(configuration: configuration, logger: logger)
    }

    /// The port that the sandbox listens on; 0 before ``start()`` and after ``stop()``.
    public var boundPort: Int { boundPort(of: .production) }

    /// The port for one of Apple's hosts.
    ///
    /// It is the same for both unless each has its own.
    public func boundPort(of environment: SandboxEnvironment) -> Int {
        phase.withLock { phase in
            guard case .listening(let listeners) = phase else { return 0 }
            let channel = environment == .development ? listeners.development ?? listeners.channel : listeners.channel
            return channel.localAddress?.port ?? 0
        }
    }

    /// `https://HOST:PORT`, with a host in the certificate.
    public var origin: String { origin(of: .production) }

    /// The origin for one of Apple's hosts.
    ///
    /// It is the same for both unless each has its own port.
    public func origin(of environment: SandboxEnvironment) -> String {
        let host = core.configuration.host
        let name = ["0.0.0.0", "::", ""].contains(host) ? "localhost" : host
        return "https://\(name.contains(":") ? "[\(name)]" : name):\(boundPort(of: environment))"
    }

    // MARK: Start and stop

    /// Starts to listen.
    ///
    /// Does nothing if it listens already.
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
        do {
            let listeners = try await listen()
            phase.withLock { $0 = .listening(listeners) }
            core.origin = origin
        } catch {
            phase.withLock { $0 = .new }
            throw error
        }
    }

    private func listen() async throws -> Listeners {
        let configuration = core.configuration
        guard let developmentPort = configuration.developmentPort else {
            return Listeners(channel: try await bind(configuration.port, for: nil))
        }
        var listeners = Listeners(channel: try await bind(configuration.port, for: .production))
        do {
            listeners.development = try await bind(developmentPort, for: .development)
        } catch {
            try? await listeners.channel.close().get()
            throw error
        }
        return listeners
    }

    private func bind(_ port: Int, for environment: SandboxEnvironment?) async throws -> any Channel {
        let host = core.configuration.host
        do {
            let channel = try await bootstrap(environment).bind(host: host, port: port).get()
            core.logger.info(
                "Sandbox listens",
                metadata: ["host": "\(host)", "port": "\(channel.localAddress?.port ?? port)"])
            return channel
        } catch {
            throw SandboxError(.cannotListen, "Cannot listen on \(host):\(port): \(error)")
        }
    }

    /// Listens until a graceful shutdown or a cancellation, then stops.
    public func run() async throws {
        try await start()
        try? await gracefulShutdown()
        await stop()
    }

    /// Stops listening, sends GOAWAY, answers pending requests for at most the configured time, and closes.
    public func stop() async {
        let listeners: [any Channel] = phase.withLock { phase in
            defer { phase = .stopped }
            if case .listening(let listeners) = phase { return listeners.all } else { return [] }
        }
        guard let first = listeners.first else { return }
        for listener in listeners { try? await listener.close().get() }
        let (connections, silent) = core.stopAdmission()
        for socket in silent { socket.close(promise: nil) }
        core.broadcast(.goAway(SandboxGoAway(lastStream: .all, debugData: #"{"reason":"Shutdown"}"#)))
        let deadline = first.eventLoop.scheduleTask(in: TimeAmount(core.configuration.drainTimeout)) { [core] in
            core.broadcast(.close)
        }
        for connection in connections + silent { try? await connection.closeFuture.get() }
        deadline.cancel()
        core.journal.close()
    }

    private func bootstrap(_ environment: SandboxEnvironment?) -> ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { [core, tls] channel in
                ConnectionSetup(core: core, tls: tls, environment: environment).configure(channel)
            }
    }

    // MARK: Misbehaviour

    /// Adds a rule after the existing ones.
    public func addRule(_ rule: SandboxRule) {
        core.withRules { $0.add(rule) }
    }

    /// Removes the rules of this name.
    ///
    /// Returns how many there were.
    @discardableResult
    public func removeRules(named name: String) -> Int {
        core.withRules { $0.remove(named: name) }
    }

    /// Removes all rules: from now on requests get the usual answers.
    public func removeAllRules() {
        core.withRules { $0.removeAll() }
    }

    /// Sets the host that a device token belongs to.
    ///
    /// The other one answers 400 BadDeviceToken.
    public func setToken(_ token: SandboxToken) {
        core.tokens.set(token)
    }

    /// Applies a script.
    public func apply(_ script: SandboxScript) {
        core.apply(script)
    }

    /// Sets the stream limit (0 to 1,000,000) of all connections, open and future.
    public func setMaximumStreams(_ count: Int) {
        core.setMaximumStreams(count)
    }

    /// Sends GOAWAY on every open connection.
    public func sendGoAway(_ goAway: SandboxGoAway = SandboxGoAway()) {
        core.broadcast(.goAway(goAway))
    }

    /// Cuts every open connection, without GOAWAY and without TLS's close_notify.
    public func closeConnections() {
        core.broadcast(.close)
    }

    /// Refuses new connections for a while.
    ///
    /// A duration of zero accepts them again.
    public func refuseConnections(_ refusal: SandboxRefusal) {
        core.refuse(refusal)
    }
}
