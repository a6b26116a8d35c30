public import Logging
public import ServiceLifecycle
import HTTP2Client
import Spans
import Synchronization
import Troubles

/// Sends notifications to Apple's provider API.
///
/// Connections are opened when they are needed. ``run()`` does whatever a notification has to wait for, and closes the
/// connections in the end. Each of Apple's two hosts has connections of its own, and both one provider token. At most
/// `connections × streams × 2` requests to a host are inside at a time; further ones wait.
///
/// The client itself repeats what nobody needs to decide: a request whose provider token had expired, once, with a
/// renewed one on a fresh connection, as well as one whose token was made under a wrong clock; and one that the server
/// certainly did not process, at once, three times. A request that may try the other host is sent there, once, when the
/// first has answered BadDeviceToken. Every other outcome is the caller's to act on.
public final class APNsClient: Service {
    typealias Ended = @Sendable (APNsOutcome) -> Void

    /// How many requests may go unanswered in front of one that waits to be sent.
    ///
    /// The one that its connection was proved with, and the one of the next connection: a third would be silent too.
    static let maximumSilentPredecessors = 2

    let configuration: APNsConfiguration
    /// The longest that a request waits inside for its turn on the wire.
    ///
    /// By number alone, twenty connections to a silent server could keep it for as many timeouts, and whoever waits for
    /// its end too.
    let longestWait: Duration
    let logger: Logger
    /// The operator's own.
    let own: APNsServer
    /// nil if one server stands in for both hosts.
    private let other: APNsServer?
    let credentials: Mutex<Credentials>
    let isStopping = Atomic(false)
    /// What the log has of a provider token that cannot be made anew: each request that was refused tries.
    let tokenTrouble = SharedTrouble()
    /// What requests wait for.
    private let waits = OwnedTasks()

    /// Creates a client; nothing is connected yet.
    ///
    /// - Throws: The operator's mistake, naming the field.
    public init(
        configuration: APNsConfiguration, providerToken: ProviderTokenSource, logger: Logger
    ) throws(APNsConfigurationError) {
        try configuration.validate()
        if let problem = CurlLibrary.problem {
            throw APNsConfigurationError(field: "connections", message: "cannot be opened: \(problem)")
        }
        self.configuration = configuration
        longestWait = configuration.connectTimeout + configuration.requestTimeout * Self.maximumSilentPredecessors
        self.logger = logger
        own = APNsServer(configuration.defaultHost, configuration, logger: logger)
        other =
            configuration.hasTwoServers
            ? APNsServer(configuration.defaultHost.other, configuration, logger: logger) : nil
        credentials = Mutex(Credentials(source: providerToken))
    }

    /// Does what requests wait for, until the end.
    ///
    /// A graceful shutdown takes nothing new, hands back what was not sent, and lets what is in flight finish for at
    /// most `drainTimeout`; a cancellation gives it up at once.
    public func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask { [waits] in await waits.run() }
            var drainTimeout = configuration.drainTimeout
            do {
                try await gracefulShutdown()
            } catch {
                drainTimeout = .zero
            }
            isStopping.store(true, ordering: .releasing)
            for server in servers {
                server.slots.close()
                server.pool.close()
            }
            await drain(for: drainTimeout)
            // Each request has had its last attempt: what still waits ends by itself.
            waits.close()
        }
    }

    /// Waits for the end of what is in flight, and gives it up when the time is over.
    private func drain(for timeout: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [servers] in
                try? await Task.sleep(for: timeout)
                for server in servers { server.pool.abandon() }
            }
            for server in servers { await server.pool.ended() }
            group.cancelAll()
        }
    }

    var servers: [APNsServer] { [own] + (other.map { [$0] } ?? []) }

    /// The server for a request that names this host, or none.
    private func server(for host: APNsHost?) -> APNsServer {
        if let other, host == other.host { return other }
        return own
    }

    /// Hands a notification over and returns at once; `ended` is told once what became of it, on any thread, perhaps
    /// before this returns, and should return soon.
    ///
    /// What has to be waited for is waited for by ``run()``.
    public func send(_ request: APNsRequest, ended: @escaping @Sendable (APNsOutcome) -> Void) {
        if let refusal = refusal(of: request) { return ended(refusal) }
        let server = server(for: request.host)
        if server.slots.acquireAtOnce() { return begin(request, at: server, ended) }
        wait(in: TracingScope.current, ended) { [self] in await send(request) }
    }

    /// Sends a notification and returns what became of it; suspends while the client is full.
    ///
    /// A task that is cancelled while it waits for its turn gets `notSent(.cancelled)`; later its outcome is awaited.
    public func send(_ request: APNsRequest) async -> APNsOutcome {
        if let refusal = refusal(of: request) { return refusal }
        let server = server(for: request.host)
        return await withSlot(at: server) { begin(request, at: server, $0) }
    }

    /// Runs `body`, which sends several notifications: they may leave when it ends, together.
    public func together(_ body: () -> Void) {
        guard let other else { return own.pool.together(body) }
        own.pool.together { other.pool.together(body) }
    }

    /// Has something sent once the host has a free slot, and returns the outcome.
    private func withSlot(at server: APNsServer, _ send: (@escaping Ended) -> Void) async -> APNsOutcome {
        switch await server.slots.acquire() {
        case .cancelled: .notSent(.cancelled)
        case .closed: .notSent(.shuttingDown)
        case .granted: await withCheckedContinuation { continuation in send { continuation.resume(returning: $0) } }
        }
    }

    /// Sends to the host whose slot the request has, and then to the other one, if that is to be asked.
    private func begin(_ request: APNsRequest, at server: APNsServer, _ ended: @escaping Ended) {
        let scope = TracingScope.current
        guard request.mayTryOtherHost, let other else { return deliver(request, to: server, in: scope, ended) }
        deliver(request, to: server, in: scope) { [self] first in
            guard first.suggestsOtherHost else { return ended(first) }
            let second = server.host == own.host ? other : own
            wait(in: scope) {
                ended(APNsOutcome(first, thenFrom: second.host, $0))
            } for: { [self] in
                await withSlot(at: second) { deliver(request, to: second, in: scope, $0) }
            }
        }
    }

    /// Has ``run()`` wait for an outcome.
    func wait(
        in scope: TracingScope?, _ ended: @escaping Ended, for outcome: @escaping @Sendable () async -> APNsOutcome
    ) {
        let isTaken = waits.add {
            if let scope { ended(await scope.run(outcome)) } else { ended(await outcome()) }
        }
        if !isTaken { ended(.notSent(.shuttingDown)) }
    }
}
