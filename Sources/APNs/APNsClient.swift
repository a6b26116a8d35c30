public import Logging
public import ServiceLifecycle
import Spans
import Synchronization
import Tracing
import Troubles

/// Sends notifications to Apple's provider API (push.md, "Apple's contract").
///
/// Connections are opened when they are needed, so ``send(_:)`` works from the start; ``run()`` waits for the end and
/// closes them. Each of Apple's two hosts has connections of its own, and both one provider token. At most
/// `connections × streams × 2` requests to a host are inside at a time; further ones wait in ``send(_:)``.
///
/// The client itself repeats what nobody needs to decide: a request whose provider token had expired, once, with a
/// renewed one on a fresh connection, as well as one whose token was made under a wrong clock; and one that the server
/// certainly did not process, at once, three times. A request that may try the other host is sent there, once, when the
/// first has answered BadDeviceToken. Every other outcome is the caller's to act on.
public final class APNsClient: Service {
    /// How often a request is sent again because the server did not process it.
    static let maximumImmediateResends = 3
    /// How often a request that was not sent goes to the next connection.
    static let maximumHandBacks = 20
    /// How many requests may go unanswered in front of one that waits to be sent.
    ///
    /// The one that its connection was proved with, and the one of the next connection: a third would be silent too.
    static let maximumSilentPredecessors = 2

    private struct Credentials {
        var source: ProviderTokenSource
        /// The header lines of the token last used.
        var headers: (token: ProviderToken, list: HeaderList)?
        /// How many tokens have been used.
        var generation = 0
    }

    /// What one attempt is sent with.
    private struct Attempt: Sendable {
        let source: ProviderTokenSource
        let token: ProviderToken
        let headers: HeaderList
    }

    private let configuration: APNsConfiguration
    private let logger: Logger
    /// The operator's own.
    private let own: APNsServer
    /// nil if one server stands in for both hosts.
    private let other: APNsServer?
    private let credentials: Mutex<Credentials>
    private let isStopping = Atomic(false)
    /// What the log has of a provider token that cannot be made anew: each request that was refused tries.
    private let tokenTrouble = SharedTrouble()

    /// Creates a client; nothing is connected yet.
    ///
    /// - Throws: The operator's mistake, naming the field.
    public init(
        configuration: APNsConfiguration, providerToken: ProviderTokenSource, logger: Logger
    ) throws(APNsConfigurationError) {
        try configuration.validate()
        self.configuration = configuration
        self.logger = logger
        own = APNsServer(configuration.defaultHost, configuration, logger: logger)
        other =
            configuration.hasTwoServers
            ? APNsServer(configuration.defaultHost.other, configuration, logger: logger) : nil
        credentials = Mutex(Credentials(source: providerToken))
    }

    /// Waits for the end.
    ///
    /// A graceful shutdown takes nothing new, hands back what was not sent, and lets what is in flight finish for at
    /// most `drainTimeout`; a cancellation gives it up at once.
    public func run() async throws {
        let isGraceful: Bool
        do {
            try await gracefulShutdown()
            isGraceful = true
        } catch {
            isGraceful = false
        }
        isStopping.store(true, ordering: .releasing)
        for server in servers {
            server.slots.close()
            server.pool.close()
        }
        let drainTimeout = isGraceful ? configuration.drainTimeout : .zero
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [servers] in
                try? await Task.sleep(for: drainTimeout)
                for server in servers { server.pool.abandon() }
            }
            for server in servers { await server.pool.ended() }
            group.cancelAll()
        }
    }

    private var servers: [APNsServer] { [own] + (other.map { [$0] } ?? []) }

    /// The server for a request that names this host, or none.
    private func server(for host: APNsHost?) -> APNsServer {
        if let other, host == other.host { return other }
        return own
    }

    /// Sends a notification and returns what became of it; suspends while the client is full.
    ///
    /// A task that is cancelled while it waits for its turn gets `notSent(.cancelled)`; later its outcome is awaited.
    public func send(_ request: APNsRequest) async -> SendOutcome {
        if let refusal = refusal(of: request) { return refusal }
        let server = server(for: request.host)
        return await outcome(of: request, after: await send(request, to: server), from: server)
    }

    /// Sends to one host; suspends while that has no free slot.
    private func send(_ request: APNsRequest, to server: APNsServer) async -> SendOutcome {
        switch await server.slots.acquire() {
        case .cancelled: return .notSent(.cancelled)
        case .closed: return .notSent(.shuttingDown)
        case .granted: break
        }
        defer { server.slots.release() }
        return await deliver(request, to: server, sendBy: ContinuousClock.now + longestWait)
    }

    /// The outcome of a request after one host's, whose slot has been given back: what the other has to say, if it is to
    /// be asked.
    private func outcome(
        of request: APNsRequest, after first: SendOutcome, from server: APNsServer
    ) async -> SendOutcome {
        guard request.mayTryOtherHost, first.suggestsOtherHost, let other else { return first }
        let second = server.host == own.host ? other : own
        return SendOutcome(first, thenFrom: second.host, await send(request, to: second))
    }

    /// Sends a notification if nothing has to be waited for before, without a task for it; `ended` is told once, on
    /// some other thread, and should return soon.
    ///
    /// False: nothing was done, and ``send(_:)`` is to be used. So it is while the client is full or stopping, while
    /// there is no provider token at hand, for what cannot be sent, and while spans are recorded.
    public func begin(_ request: APNsRequest, ended: @escaping @Sendable (SendOutcome) -> Void) -> Bool {
        guard !isTracing, !isStopping.load(ordering: .acquiring), refusal(of: request) == nil else { return false }
        let source = credentials.withLock { $0.source }
        let server = server(for: request.host)
        guard let token = source.tokenAtHand, let headers = try? headerList(for: token, from: source),
            server.slots.acquireAtOnce()
        else { return false }
        let sendBy = ContinuousClock.now + longestWait
        let attempt = Attempt(source: source, token: token, headers: headers)
        server.pool.submit(
            Exchange(request: request, headers: headers, sendBy: sendBy) { [self] result in
                if case .answered(let answer, isComplete: true) = result.ending,
                    case .delivered(let id) = SendOutcome(answer, requestID: request.id)
                {
                    server.slots.release()
                    ended(.delivered(apnsID: id))
                    return
                }
                // What else there is to do about it may take a while, and other attempts; who has begun it waits.
                Task {
                    let first = await deliver(request, to: server, sendBy: sendBy, after: (attempt, result))
                    server.slots.release()
                    ended(await outcome(of: request, after: first, from: server))
                }
            })
        return true
    }

    /// Why the request is never sent; nil when it can be.
    private func refusal(of request: APNsRequest) -> SendOutcome? {
        if let field = request.unusableField { return .notSent(.invalidRequest(field: field)) }
        return request.payload.count <= APNsRequest.maximumPayloadBytes ? nil : .payloadTooLarge
    }

    /// Makes sure that a provider token that can be used is kept; mints one where needed.
    public func prepareProviderToken() async throws(ProviderTokenError) {
        let source = credentials.withLock { $0.source }
        _ = try await source.current()
    }

    /// Replaces all connections: those in use finish what is in flight, what comes later goes on fresh ones.
    public func replaceConnections() {
        for server in servers { server.pool.replaceAll() }
    }

    /// Goes over to another team or key, on fresh connections; nothing is lost.
    public func replaceProviderToken(_ source: ProviderTokenSource) {
        let lastGeneration = credentials.withLock { credentials in
            credentials.source = source
            // They are of a generation that is refused from now on, even if the token should be the same.
            credentials.headers = nil
            return credentials.generation
        }
        for server in servers { server.pool.replaceAll(refusingUpTo: lastGeneration) }
    }

    /// The longest that a request waits inside for its turn on the wire.
    ///
    /// By number alone, twenty connections to a silent server could keep it for as many timeouts, and whoever waits for
    /// its end too.
    private var longestWait: Duration {
        configuration.connectTimeout + configuration.requestTimeout * Self.maximumSilentPredecessors
    }

    /// Sends to one host until there is an outcome; `first` is an attempt that has been made already, and how it ended.
    private func deliver(
        _ request: APNsRequest, to server: APNsServer, sendBy: ContinuousClock.Instant,
        after first: (Attempt, Exchange.Result)? = nil
    ) async -> SendOutcome {
        var made = first
        var resends = 0
        var handBacks = 0
        var hasRenewed = false
        while made != nil || !isStopping.load(ordering: .acquiring) {
            let attempt: Attempt
            let result: Exchange.Result
            if let last = made {
                made = nil
                (attempt, result) = last
            } else {
                do {
                    guard let next = try await nextAttempt() else { continue }
                    attempt = next
                } catch {
                    return .notSent(.noProviderToken("\(error)"))
                }
                result = await perform(
                    request, attempt.headers, at: server, sendBy: sendBy,
                    after: resends + handBacks + (hasRenewed ? 1 : 0))
            }
            switch result.ending {
            case .handedBack where ContinuousClock.now >= sendBy: return .transport(.timeout)
            case .handedBack where handBacks < Self.maximumHandBacks: handBacks += 1
            case .handedBack: return .transport(.reset)
            case .abandoned: return .notSent(.abandoned)
            case .failed(.goAwayUnprocessed) where resends < Self.maximumImmediateResends: resends += 1
            case .failed(let failure): return .transport(failure)
            case .answered(let answer, let isComplete):
                let outcome =
                    isComplete
                    ? SendOutcome(answer, requestID: request.id)
                    : SendOutcome(cutShort: answer, requestID: request.id)
                replaceConnection(result.connection, to: server, after: outcome)
                guard !hasRenewed,
                    await hasSuccessor(to: attempt.token, from: attempt.source, after: outcome)
                else { return server.host == own.host ? outcome : outcome.fromForeignHost }
                // Those that carried the refused token may be stuck with it: none of them is used again.
                server.pool.replace(openedUpTo: attempt.headers.generation)
                hasRenewed = true
            }
        }
        return .notSent(.shuttingDown)
    }

    /// What to send with; nil if the source was replaced meanwhile.
    private func nextAttempt() async throws -> Attempt? {
        let source = credentials.withLock { $0.source }
        let token = try await source.current()
        guard let headers = try headerList(for: token, from: source) else { return nil }
        return Attempt(source: source, token: token, headers: headers)
    }

    /// Sends once; `attempts` were made before.
    private func perform(
        _ request: APNsRequest, _ headers: HeaderList, at server: APNsServer, sendBy: ContinuousClock.Instant,
        after attempts: Int
    ) async -> Exchange.Result {
        await traced(APNsRequest.spanName, kind: .client) { span in
            span.describe(requestTo: server.address, after: attempts)
            let result = await server.pool.perform(request, headers, sendBy: sendBy)
            span.describe(result.ending)
            return result
        }
    }

    private func replaceConnection(_ number: Int?, to server: APNsServer, after outcome: SendOutcome) {
        guard let number else { return }
        switch outcome {
        case .providerTokenExpired, .connectionMismatch, .idleTimeout: server.pool.replace(number)
        default: break
        }
    }

    /// Whether there is another token than the one that Apple refused with this outcome.
    private func hasSuccessor(
        to token: ProviderToken, from source: ProviderTokenSource, after outcome: SendOutcome
    ) async -> Bool {
        switch outcome {
        case .providerTokenExpired: await renew(source, after: token)
        case .configurationRefused(.invalidProviderToken): await replace(token, from: source)
        default: false
        }
    }

    /// Whether there is another token than the one that Apple called invalid.
    private func replace(_ token: ProviderToken, from source: ProviderTokenSource) async -> Bool {
        do {
            return try await source.replaceIfClockWasSet(after: token.jwt) != nil
        } catch {
            if let summary = tokenTrouble.met("replaced: \(error)") {
                logger.error(
                    "APNs provider token could not be replaced", metadata: ["error.message": "\(error)"].adding(summary)
                )
            }
            return false
        }
    }

    /// Whether there is another token than the one that Apple called expired.
    private func renew(_ source: ProviderTokenSource, after token: ProviderToken) async -> Bool {
        do {
            switch try await source.renew(after: token.jwt) {
            case .renewed:
                _ = tokenTrouble.over()
                return true
            case .tooEarly(let remaining):
                guard let summary = tokenTrouble.met("too early") else { return false }
                let metadata: Logger.Metadata = [
                    "apns.retry_after": "\(remaining)", "apns.issued_at": "\(token.issuedAt)",
                ]
                logger.warning(
                    "APNs provider token called expired too early to be renewed", metadata: metadata.adding(summary))
            }
        } catch {
            if let summary = tokenTrouble.met("renewed: \(error)") {
                logger.error(
                    "APNs provider token could not be renewed", metadata: ["error.message": "\(error)"].adding(summary))
            }
        }
        return false
    }

    /// The shared header lines for a token, made once for each; nil if its source has been replaced meanwhile.
    private func headerList(
        for token: ProviderToken, from source: ProviderTokenSource
    ) throws(CurlError) -> HeaderList? {
        try credentials.withLock { credentials throws(CurlError) -> HeaderList? in
            guard credentials.source === source else { return nil }
            if let kept = credentials.headers, kept.token == token { return kept.list }
            credentials.generation += 1
            let list = try HeaderList(
                token: token, generation: credentials.generation, topic: configuration.topic)
            credentials.headers = (token, list)
            return list
        }
    }
}
