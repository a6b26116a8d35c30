package import AsyncAlgorithms
package import Kaspa
package import Logging
import ServiceLifecycle
import Synchronization
import Troubles

/// The node as the indexer sees it: streams of blocks and hints, and the requests of `ChainNode`, from whichever node
/// is followed.
///
/// The reader of `blocks` must never wait for an answer of this client: answers come over the same connection, after
/// the blocks.
package final class NodeClient: Service, ChainNode {
    /// Blocks as the node adds them.
    ///
    /// Without a reader, nothing more is read from the connection.
    package let blocks = AsyncChannel<Block>()

    /// Hints to ask for the virtual chain.
    ///
    /// The newest few are kept for a slow reader.
    package let hints: AsyncStream<NodeHint>

    private static let bufferedHints = 8

    /// Consecutive questions about the chain without a usable answer before the node is left.
    package static let toleratedFailures = 3

    private let hintSink: AsyncStream<NodeHint>.Continuation
    private let link: NodeLink
    private let network: Network
    private let failures = FailureCount(tolerated: NodeClient.toleratedFailures)
    private let chainTimeout: Mutex<ChainTimeout>

    /// Makes a client that does nothing before `run()`.
    ///
    /// Blocks and the virtual chain hold only the transactions that `reading` keeps, and the number of all.
    package init(
        configuration: NodeConfiguration, reading: WireReading = .ours(watching: NothingWatched()), logger: Logger
    ) {
        network = configuration.network
        chainTimeout = Mutex(configuration.chainTimeout)
        let (hints, hintSink) = AsyncStream.makeStream(
            of: NodeHint.self, bufferingPolicy: .bufferingNewest(Self.bufferedHints))
        self.hints = hints
        self.hintSink = hintSink
        let unreadable = SharedTrouble()
        link = NodeLink(configuration: configuration, reading: reading, logger: logger) { [blocks, failures] event in
            switch event {
            case .connected:
                failures.reset()
                hintSink.yield(.connected)
            case .disconnected:
                hintSink.yield(.disconnected)
            case .virtualChainChanged:
                hintSink.yield(.virtualChainChanged)
            case .blockAdded(let message, let passedOver):
                do throws(NodeError) {
                    var block = try Block(message)
                    block.transactionCount += passedOver
                    await blocks.send(block)
                } catch {
                    // The virtual chain brings what the block held.
                    guard let summary = unreadable.met(error.message) else { return }
                    let metadata: Logger.Metadata = ["node.error": "\(error.message)"]
                    logger.warning("unreadable block left out", metadata: metadata.adding(summary))
                }
            }
        }
    }

    /// The state of the connection.
    package var status: NodeStatus { link.status }

    /// Connects, follows and reconnects until the graceful shutdown or cancellation.
    ///
    /// Then `blocks` and `hints` finish.
    package func run() async throws {
        defer {
            blocks.finish()
            hintSink.finish()
        }
        try await link.run()
    }

    package func leave(_ url: String, _ error: NodeError) { link.leave(url, error) }

    package func virtualChain(from start: BlockHash) async throws(NodeError) -> VirtualChainUpdate {
        try await virtualChain(from: start, readingAhead: false)
    }

    package func virtualChain(
        from start: BlockHash, readingAhead: Bool
    ) async throws(NodeError) -> VirtualChainUpdate {
        let limit = chainTimeout.withLock { $0.next }
        do throws(NodeError) {
            let update = try await link.virtualChain(from: start, timeout: limit, readingAhead: readingAhead)
            chainTimeout.withLock { $0.answered() }
            failures.reset()
            return update
        } catch {
            switch error.code {
            case .timeout:
                let speaksAgainstNode = chainTimeout.withLock { $0.timedOut(after: limit) }
                if speaksAgainstNode { link.leave(NodeError(.unusable, "the virtual chain: \(error.message)")) }
            case .rejected, .malformedAnswer, .startHashUnknown, .syncing:
                chainTimeout.withLock { $0.answered() }
                judge(error)
            default: break
            }
            throw error
        }
    }

    package func dagInfo() async throws(NodeError) -> DagInfo {
        try await judged { () async throws(NodeError) in try DagInfo(try await self.link.blockDagInfo()) }
    }

    package func header(of block: BlockHash) async throws(NodeError) -> BlockHeader {
        try await judged { () async throws(NodeError) in
            let header = try BlockHeader(try await self.link.block(block).header)
            guard header.hash == block else {
                throw NodeError(.malformedAnswer, "the node answered with another block")
            }
            return header
        }
    }

    package func utxoReturnAddress(
        of transaction: TransactionID, acceptingDAAScore: UInt64
    ) async throws(NodeError) -> Address {
        let text = try await link.returnAddress(of: transaction, acceptingDAAScore: acceptingDAAScore)
        do {
            return try Address.parse(text, on: network)
        } catch {
            throw NodeError(.malformedAnswer, "the return address is none: \(error)")
        }
    }

    /// Leaves the node when it fails `toleratedFailures` questions in a row: one bad answer can be chance.
    ///
    /// Requests for the virtual chain have their own rule for timeouts (`ChainTimeout`).
    private func judged<Answer: Sendable>(
        _ question: () async throws(NodeError) -> Answer
    ) async throws(NodeError) -> Answer {
        do throws(NodeError) {
            let answer = try await question()
            failures.reset()
            return answer
        } catch {
            judge(error)
            throw error
        }
    }

    private func judge(_ error: NodeError) {
        switch error.code {
        case .malformedAnswer, .rejected, .timeout, .syncing: break
        default: return
        }
        guard failures.failed() else { return }
        let code: NodeError.Code = error.code == .syncing ? .syncing : .unusable
        link.leave(NodeError(code, "\(Self.toleratedFailures) questions without a usable answer: \(error)"))
    }
}
