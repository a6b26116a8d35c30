import Kaspa
package import Logging
import Metrics
import ServiceLifecycle
import Synchronization

/// Follows one node at a time, and the next one when it must: connection, greeting, subscriptions, back-off.
///
/// It speaks the wire's own messages, read as far as `reading` says; `NodeClient` puts Kaspa's values on top, `NodeRecorder` writes them down.
package final class NodeLink: Service, NodeRequests {
    /// Takes one event at a time; the node is read no faster than this returns, answers to requests included.
    package typealias Receiver = @Sendable (NodeEvent) async -> Void

    private struct State {
        var session: NodeSession?
        var followedSince: ContinuousClock.Instant?
        var status = NodeStatus()
    }

    private let configuration: NodeConfiguration
    private let reading: WireReading
    private let logger: Logger
    private let receive: Receiver
    private let state = Mutex(State())

    /// Makes a link that does nothing before `run()`.
    package init(
        configuration: NodeConfiguration, reading: WireReading = .whole, logger: Logger, receive: @escaping Receiver
    ) {
        self.configuration = configuration
        self.reading = reading
        self.logger = logger
        self.receive = receive
    }

    /// What is known of the connection.
    package var status: NodeStatus {
        state.withLock { $0.status }
    }

    /// Follows nodes until the graceful shutdown or cancellation; throws only `invalidURL`, before anything is tried.
    package func run() async throws {
        let nodes = try configuration.urls.map { url throws(NodeError) in
            guard let endpoint = NodeEndpoint(url, network: configuration.network) else {
                throw NodeError(.invalidURL, "not a node's URL (http://host:port or https://host:port): \(url)")
            }
            return (url: url, endpoint: endpoint)
        }
        guard !nodes.isEmpty else { throw NodeError(.invalidURL, "no node's URL is configured") }
        await cancelWhenGracefulShutdown {
            await self.follow(nodes)
        }
    }

    /// Sends a request to the node that is followed; throws `notConnected` at once when there is none.
    package func request(
        _ payload: Protowire_KaspadRequest.OneOf_Payload, timeout: Duration?
    ) async throws(NodeError) -> NodeResponse {
        guard let session = state.withLock({ $0.session }) else {
            throw NodeError(.notConnected, status.reason ?? "no node is followed")
        }
        return try await session.request(payload, timeout: timeout)
    }

    private func follow(_ nodes: [(url: String, endpoint: NodeEndpoint)]) async {
        var schedule = ReconnectSchedule(urlCount: nodes.count, delays: configuration.reconnect)
        while !Task.isCancelled {
            let node = nodes[schedule.urlIndex]
            let (error, followed) = await follow(node.url, node.endpoint)
            if Task.isCancelled { return }
            let delay = schedule.attemptEnded(followed: followed)
            logger.warning(
                "node left",
                metadata: [
                    "node.url": "\(node.url)", "node.error": "\(error.message)", "node.error_code": "\(error.code)",
                    "retry.after": "\(delay)",
                ])
            try? await Task.sleep(for: delay)
        }
    }

    /// Follows one node for as long as it lasts; says why it ended, and how long it was followed.
    private func follow(_ url: String, _ endpoint: NodeEndpoint) async -> (NodeError, Duration?) {
        let session = NodeSession(
            transport: NodeTransport(endpoint: endpoint, configuration: configuration, reading: reading))
        let error = await withTaskGroup(of: NodeError?.self) { group in
            group.addTask {
                await session.run { await self.notified($0) }
            }
            group.addTask {
                do throws(NodeError) {
                    try await self.greet(session, url)
                    return nil
                } catch {
                    return error
                }
            }
            for await result in group {
                guard let result else { continue }
                group.cancelAll()
                return result
            }
            return NodeError(.transport, "the connection ended")
        }

        let now = ContinuousClock.now
        let followed = state.withLock { state in
            defer {
                state.session = nil
                state.followedSince = nil
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

    /// Finds out whether the node is fit to be followed, subscribes, and lets requests through.
    private func greet(_ session: NodeSession, _ url: String) async throws(NodeError) {
        let info = try await session.serverInfo(timeout: configuration.connectTimeout)
        guard Network(info.networkID) == configuration.network else {
            throw NodeError(.wrongNetwork, "the node is on \(info.networkID), not on \(configuration.network)")
        }
        guard info.isSynced else { throw NodeError(.syncing, "the node is not synced yet") }
        // Blocks last: once they flow, the answers behind them wait for the blocks' reader.
        try await session.subscribeToVirtualChain()
        try await session.subscribeToBlocks()
        state.withLock { state in
            state.session = session
            state.followedSince = .now
            state.status.connectedURL = url
            state.status.reason = nil
            state.status.serverVersion = info.serverVersion
            state.status.isSynced = true
            state.status.virtualDAAScore = max(state.status.virtualDAAScore, info.virtualDaaScore)
        }
        connectedGauge(url).record(1)
        logger.info("node followed", metadata: ["node.url": "\(url)", "node.version": "\(info.serverVersion)"])
        await receive(.connected)
    }

    private func notified(_ notification: NodeSession.Answer) async {
        switch notification.payload {
        case .blockAddedNotification(let message):
            state.withLock { state in
                state.status.lastBlockAt = .now
                state.status.virtualDAAScore = max(state.status.virtualDAAScore, message.block.header.daaScore)
            }
            await receive(
                .blockAdded(message.block, passedOverTransactionCount: notification.passedOverTransactionCount))
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
