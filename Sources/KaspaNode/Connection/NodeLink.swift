import Kaspa
package import Logging
import Metrics
import ServiceLifecycle
import Synchronization
import Troubles

/// Follows one node at a time and fails over to the next: connection, handshake, subscriptions, back-off.
///
/// It delivers protobuf messages, decoded as far as `reading` says. `NodeClient` converts them to Kaspa's values,
/// `NodeRecorder` records them.
package final class NodeLink: Service, NodeRequests {
    /// Takes one event at a time.
    ///
    /// Nothing more is read from the node, answers included, until it returns.
    package typealias Receiver = @Sendable (NodeEvent) async -> Void

    private struct State {
        var session: NodeSession?
        var followedSince: ContinuousClock.Instant?
        /// When a block last arrived or was last taken by the receiver.
        var lastActivity: ContinuousClock.Instant?
        /// Whether the receiver is handling a block.
        ///
        /// Until it is done, no block can arrive, and the node is not stalled.
        var isDelivering = false
        /// Ends the connection with the error that is yielded.
        var departure: AsyncStream<NodeError>.Continuation?
        var selector: NodeSelector
        var status = NodeStatus()
        /// What was logged about each node, by its position in the configuration.
        var troubles: [Trouble]
    }

    /// The longest node version that is kept, in characters.
    ///
    /// It is shown in logs and in /ready.
    package static let maximumVersionLength = 100

    private let configuration: NodeConfiguration
    private let reading: WireReading
    private let logger: Logger
    private let receive: Receiver
    private let state: Mutex<State>
    private let epoch = ContinuousClock.now

    /// Makes a link that does nothing before `run()`.
    package init(
        configuration: NodeConfiguration, reading: WireReading = .whole, logger: Logger, receive: @escaping Receiver
    ) {
        self.configuration = configuration
        self.reading = reading
        self.logger = logger
        self.receive = receive
        state = Mutex(
            State(
                selector: NodeSelector(urls: configuration.urls, delays: configuration.reconnect),
                troubles: configuration.urls.map { _ in Trouble() }))
    }

    private var uptime: Duration { ContinuousClock.now - epoch }

    /// The state of the connection.
    package var status: NodeStatus {
        state.withLock { state in
            var status = state.status
            status.nodes = state.selector.reports
            return status
        }
    }

    /// Switches to the next node if one is followed.
    package func leave(_ error: NodeError) {
        _ = state.withLock { $0.departure }?.yield(error)
    }

    /// Switches to the next node if the one at `url` is still followed.
    package func leave(_ url: String, _ error: NodeError) {
        let departure: AsyncStream<NodeError>.Continuation? = state.withLock { state in
            guard state.status.connectedURL == url else { return nil }
            return state.departure
        }
        departure?.yield(error)
    }

    /// Follows nodes until the graceful shutdown or cancellation.
    ///
    /// Throws only `invalidURL`, before it connects.
    package func run() async throws {
        let nodes = try configuration.urls.map { url throws(NodeError) in
            guard let endpoint = NodeEndpoint(url, network: configuration.network) else {
                throw NodeError(.invalidURL, "not a node's URL (http://host:port or https://host:port): \(url)")
            }
            return (url: url, endpoint: endpoint)
        }
        guard !nodes.isEmpty else { throw NodeError(.invalidURL, "no node's URL is configured") }
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.follow(nodes) }
                if nodes.count > 1 { group.addTask { await self.probe(nodes.map(\.endpoint)) } }
            }
        }
    }

    /// Sends a request to the node that is followed; throws `notConnected` at once when there is none.
    package func request(
        _ payload: Protowire_KaspadRequest.OneOf_Payload, timeout: Duration?
    ) async throws(NodeError) -> NodeResponse {
        try await session().request(payload, timeout: timeout)
    }

    /// The blocks that the virtual chain has added and removed since `start`; see `ChainNode`.
    ///
    /// It holds the transactions that are decoded (`WireReading`) and the number of all.
    func virtualChain(
        from start: BlockHash, timeout: Duration?, readingAhead: Bool
    ) async throws(NodeError) -> VirtualChainUpdate {
        let response = try await session().virtualChain(from: start, timeout: timeout, readingAhead: readingAhead)
        guard let update = try response.virtualChainUpdate() else { throw .ofAnotherKind }
        return update
    }

    private func session() throws(NodeError) -> NodeSession {
        guard let session = state.withLock({ $0.session }) else {
            throw NodeError(.notConnected, status.reason ?? "no node is followed")
        }
        return session
    }

    private func follow(_ nodes: [(url: String, endpoint: NodeEndpoint)]) async {
        while !Task.isCancelled {
            let index: Int
            switch state.withLock({ $0.selector.next(now: .now) }) {
            case .wait(let pause):
                try? await Task.sleep(for: pause)
                continue
            case .follow(let next): index = next
            }
            let node = nodes[index]
            let (error, followed) = await follow(index, node.url, node.endpoint)
            if Task.isCancelled { return }
            let (delay, summary) = state.withLock { state in
                // A node that is followed and lost over and over has one lasting trouble, not many short ones.
                if let followed, followed >= configuration.reconnect.maximum { state.troubles[index] = Trouble() }
                let summary =
                    error.code == .preferredNode ? [:] : state.troubles[index].met(error.message, now: uptime)
                return (state.selector.left(index, error, followed: followed, now: .now), summary)
            }
            guard let summary else { continue }
            let metadata: Logger.Metadata = [
                "node.url": "\(node.url)", "node.error": "\(error.message)", "node.error_code": "\(error.code)",
                "retry.after": "\(delay)",
            ]
            logger.log(
                level: error.code == .preferredNode ? .notice : .warning, "node left",
                metadata: metadata.adding(summary))
        }
    }

    /// Follows one node until something ends it.
    ///
    /// Returns what did, and how long the node was followed.
    private func follow(_ index: Int, _ url: String, _ endpoint: NodeEndpoint) async -> (NodeError, Duration?) {
        let session = NodeSession(
            transport: NodeTransport(endpoint: endpoint, configuration: configuration, reading: reading))
        let error = await reasonToLeave(session, index, url)
        let now = ContinuousClock.now
        let followed = state.withLock { state in
            defer {
                state.session = nil
                state.followedSince = nil
                state.departure = nil
                state.isDelivering = false
                state.status.connectedURL = nil
                state.status.isSynced = false
                state.status.reason = "\(url): \(error.message)"
            }
            return state.followedSince.map { now - $0 }
        }
        if followed != nil {
            connectedGauge(url).record(0)
            await receive(.disconnected(error))
        }
        return (error, followed)
    }

    /// Runs a node's session until something ends it.
    ///
    /// Returns what did.
    private func reasonToLeave(_ session: NodeSession, _ index: Int, _ url: String) async -> NodeError {
        let (departures, departure) = AsyncStream.makeStream(of: NodeError.self, bufferingPolicy: .bufferingOldest(1))
        return await withTaskGroup(of: NodeError?.self) { group in
            group.addTask {
                await session.run { await self.notified($0) }
            }
            group.addTask {
                do throws(NodeError) {
                    try await self.greet(session, index, url, departure)
                    return nil
                } catch {
                    return error
                }
            }
            group.addTask { await departures.first { _ in true } }
            group.addTask { await self.silence() }
            for await result in group {
                guard let result else { continue }
                // Before the connection is closed, so that pending requests fail with the reason.
                session.end(NodeError(.transport, "the node was left: \(result.message)"))
                group.cancelAll()
                return result
            }
            return NodeError(.transport, "the connection ended")
        }
    }

    /// Returns an error once the followed node has sent no block for `stallTimeout`; nil when cancelled.
    private func silence() async -> NodeError? {
        let limit = configuration.stallTimeout
        while !Task.isCancelled {
            let silence = state.withLock { state -> Duration? in
                guard let since = state.followedSince, !state.isDelivering else { return nil }
                return ContinuousClock.now - max(since, state.lastActivity ?? since)
            }
            if let silence, silence >= limit { return NodeError(.stalled, "no block for \(limit)") }
            let pause = silence.map { limit - $0 } ?? limit / 4
            try? await Task.sleep(for: max(pause, .milliseconds(1)))
        }
        return nil
    }

    /// Probes all nodes while one is followed, each over a connection of its own.
    private func probe(_ endpoints: [NodeEndpoint]) async {
        while !Task.isCancelled {
            do { try await Task.sleep(for: configuration.probeInterval) } catch { return }
            guard state.withLock({ $0.session != nil }) else { continue }
            let round = await withTaskGroup(of: (Int, NodeSelector.Probe).self) { group in
                for (index, endpoint) in endpoints.enumerated() {
                    group.addTask { (index, await self.probe(endpoint)) }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            if Task.isCancelled { return }
            state.withLock { state in
                guard let error = state.selector.probed(round, now: .now) else { return }
                state.departure?.yield(error)
            }
        }
    }

    private func probe(_ endpoint: NodeEndpoint) async -> NodeSelector.Probe {
        let session = NodeSession(
            transport: NodeTransport(endpoint: endpoint, configuration: configuration, reading: reading))
        return await withTaskGroup(of: NodeSelector.Probe.self) { group in
            group.addTask { .unfit(await session.run { _ in }) }
            group.addTask {
                do throws(NodeError) {
                    return .healthy(virtualDAAScore: try await self.fitness(session).virtualDaaScore)
                } catch {
                    return .unfit(error)
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? .unfit(NodeError(.cancelled, "the probe was cancelled"))
        }
    }

    /// The node's description of itself.
    ///
    /// Throws `wrongNetwork` or `syncing` when it cannot be followed.
    private func fitness(
        _ session: NodeSession
    ) async throws(NodeError) -> Protowire_GetServerInfoResponseMessage {
        let info = try await session.serverInfo(timeout: configuration.connectTimeout)
        guard Network(info.networkID) == configuration.network else {
            throw NodeError(.wrongNetwork, "the node is on \(info.networkID), not on \(configuration.network)")
        }
        guard info.isSynced else { throw NodeError(.syncing, "the node is not synced yet") }
        return info
    }

    /// Checks that the node can be followed, subscribes, and opens the session for requests.
    private func greet(
        _ session: NodeSession, _ index: Int, _ url: String, _ departure: AsyncStream<NodeError>.Continuation
    ) async throws(NodeError) {
        let info = try await fitness(session)
        if let error = state.withLock({ $0.selector.lag(of: index, at: info.virtualDaaScore) }) { throw error }
        let version = String(info.serverVersion.prefix(Self.maximumVersionLength))
        // Blocks last: once they arrive, later answers on the stream wait until the receiver has taken them.
        try await session.subscribeToVirtualChain()
        try await session.subscribeToBlocks()
        let summary = state.withLock { state in
            state.session = session
            state.followedSince = .now
            state.lastActivity = nil
            state.departure = departure
            state.selector.followed(index, virtualDAAScore: info.virtualDaaScore)
            state.status.connectedURL = url
            state.status.reason = nil
            state.status.serverVersion = version
            state.status.isSynced = true
            state.status.virtualDAAScore = info.virtualDaaScore
            return state.troubles[index].isOn ? state.troubles[index].met("followed", now: uptime) : [:]
        }
        connectedGauge(url).record(1)
        if let summary {
            let metadata: Logger.Metadata = ["node.url": "\(url)", "node.version": "\(version)"]
            logger.info("node followed", metadata: metadata.adding(summary))
        }
        await receive(.connected)
    }

    private func notified(_ notification: NodeSession.Answer) async {
        switch notification.payload {
        case .blockAddedNotification(let message):
            state.withLock { state in
                state.status.lastBlockAt = .now
                state.isDelivering = true
                state.status.virtualDAAScore = max(state.status.virtualDAAScore, message.block.header.daaScore)
            }
            await receive(
                .blockAdded(message.block, passedOverTransactionCount: notification.passedOverTransactionCount))
            state.withLock { state in
                state.isDelivering = false
                state.lastActivity = .now
            }
        case .virtualChainChangedNotification:
            await receive(.virtualChainChanged)
        default:
            break
        }
    }

    private func connectedGauge(_ url: String) -> Gauge {
        Gauge(label: "kasia_node_connected", dimensions: [("url", url)])
    }
}
