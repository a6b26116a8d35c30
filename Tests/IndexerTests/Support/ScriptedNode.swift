import AsyncAlgorithms
import Kaspa
import KaspaNode
import Synchronization

/// A node that knows a virtual chain and answers about it as a node does; the test moves the chain.
final class ScriptedNode: ChainNode {
    /// Everything that the test may change at any time.
    struct State: Sendable {
        /// The virtual chain from the pruning point on, low to high.
        var chain: [AcceptingBlock]
        /// Chain blocks that were removed, with the chain block below each.
        var removed: [BlockHash: BlockHash] = [:]
        /// Added blocks that one answer holds at most.
        var batch = 10
        /// Answers given instead of the chain's, in turn.
        var scripted: [Result<VirtualChainUpdate, NodeError>] = []
        var isConnected = true
        /// How late it is on the chain; nil: as the sink says.
        var time: UInt64?
        /// The node that is followed, and all that are configured.
        var url = "http://node"
        var urls = ["http://node"]
        /// The nodes that were left at our wish, in order, with the reason.
        var left: [String] = []
        /// By how much the outline's DAA score is higher than the sink's.
        var aboveSink = 1
        /// The DAA score that the node names as the chain's.
        var virtualDAAScore: UInt64 = 0
        /// Questions that are still answered before each fails; nil for all.
        var failsAfter: Int?
        /// The node keeps silent about the virtual chain until the question is cancelled.
        var isSilent = false
        /// Answers to `utxoReturnAddress`; what is missing is `rejected`.
        var senders: [TransactionID: Result<Address, NodeError>] = [:]
        var dagInfoError: NodeError?
        /// What was asked, in order.
        var asked: [BlockHash] = []
        var askedSenders: [TransactionID] = []
    }

    let blocks = AsyncChannel<Block>()
    let hints: AsyncStream<NodeHint>
    private let hintSink: AsyncStream<NodeHint>.Continuation
    private let state: Mutex<State>
    /// One element for each question about the virtual chain that has been answered.
    let answered: AsyncStream<Void>
    private let answeredSink: AsyncStream<Void>.Continuation
    /// One element for each question that a silent node was asked.
    let ignored: AsyncStream<Void>
    private let ignoredSink: AsyncStream<Void>.Continuation
    private let silence = AsyncStream.makeStream(of: Void.self)

    init(chain: [AcceptingBlock]) {
        (hints, hintSink) = AsyncStream.makeStream(of: NodeHint.self, bufferingPolicy: .bufferingNewest(8))
        (answered, answeredSink) = AsyncStream.makeStream(of: Void.self)
        (ignored, ignoredSink) = AsyncStream.makeStream(of: Void.self)
        state = Mutex(State(chain: chain))
    }

    var now: State { state.withLock { $0 } }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    func hint(_ hint: NodeHint = .virtualChainChanged) { hintSink.yield(hint) }

    func finish() {
        blocks.finish()
        hintSink.finish()
    }

    /// Replaces the highest `count` chain blocks.
    func reorganize(removing count: Int, adding blocks: [AcceptingBlock]) {
        change { state in
            for _ in 0..<count {
                let top = state.chain.removeLast()
                state.removed[top.header.hash] = state.chain[state.chain.count - 1].header.hash
            }
            state.chain += blocks
        }
    }

    var status: NodeStatus {
        var status = NodeStatus()
        let now = now
        status.connectedURL = now.isConnected ? now.url : nil
        status.nodes = now.urls.map { url in
            let isFollowed = now.isConnected && url == now.url
            return NodeReport(url: url, state: isFollowed ? .followed : .untried, reason: nil)
        }
        status.virtualDAAScore = now.virtualDAAScore
        return status
    }

    /// Only notes it: the test says which node comes next.
    func leave(_ url: String, _ error: NodeError) {
        change { $0.left.append("\(url): \(error.message)") }
    }

    func virtualChain(from start: BlockHash) async throws(NodeError) -> VirtualChainUpdate {
        if now.isSilent {
            ignoredSink.yield()
            for await _ in silence.stream {}
            throw NodeError(.cancelled, "the question was cancelled")
        }
        defer { answeredSink.yield() }
        let answer: Result<VirtualChainUpdate, NodeError> = state.withLock { state in
            state.asked.append(start)
            if let left = state.failsAfter {
                guard left > 0 else { return .failure(NodeError(.rejected, "broken")) }
                state.failsAfter = left - 1
            }
            if !state.scripted.isEmpty { return state.scripted.removeFirst() }
            return Self.answer(from: start, state)
        }
        return try answer.get()
    }

    private static func answer(from start: BlockHash, _ state: State) -> Result<VirtualChainUpdate, NodeError> {
        var removed: [BlockHash] = []
        var block = start
        while let below = state.removed[block], !state.chain.contains(where: { $0.header.hash == block }) {
            removed.append(block)
            block = below
        }
        guard let index = state.chain.firstIndex(where: { $0.header.hash == block }) else {
            return .failure(NodeError(refusal: "cannot find header \(start)"))
        }
        return .success(
            VirtualChainUpdate(removed: removed, added: Array(state.chain[(index + 1)...].prefix(state.batch))))
    }

    func dagInfo() async throws(NodeError) -> DagInfo {
        let now = now
        if let error = now.dagInfoError { throw error }
        return DagInfo(
            networkName: "kaspa-mainnet", pruningPoint: now.chain[0].header.hash,
            sink: now.chain[now.chain.count - 1].header.hash,
            virtualDAAScore: now.chain[now.chain.count - 1].header.daaScore + UInt64(now.aboveSink),
            pastMedianTime: now.time ?? now.chain[now.chain.count - 1].header.timestamp)
    }

    func header(of block: BlockHash) async throws(NodeError) -> BlockHeader {
        guard let found = now.chain.first(where: { $0.header.hash == block }) else {
            throw NodeError(refusal: "cannot find header \(block)")
        }
        return found.header
    }

    func utxoReturnAddress(of transaction: TransactionID, acceptingDAAScore: UInt64) async throws(NodeError) -> Address
    {
        let answer = state.withLock { state in
            state.askedSenders.append(transaction)
            return state.senders[transaction] ?? .failure(NodeError(.rejected, "not found"))
        }
        return try answer.get()
    }
}
