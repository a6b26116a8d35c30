import AsyncAlgorithms
import Kaspa
import KaspaNode
import Recordings
import SwiftProtobuf
import Synchronization

@testable import KaspadReplay

/// A node without a socket: the replay node's own chain, driven by a test, with everything that can go wrong.
final class ModelNode: ChainNode {
    struct State: Sendable {
        var chain: ReplayChain
        var played = 0
        var isConnected = true
        /// Chain blocks in an answer.
        var batch = 10
        /// Answers that are still given before the connection breaks; nil for all.
        var answersLeft: Int?
        /// Entries that are told right after the next answers, one number for each: the chain moves in a catch-up.
        var growth: [Int] = []
        /// By how many chain blocks the node is behind itself in each of the next answers.
        var lags: [Int] = []
        /// How late it is on the chain, milliseconds since 1970.
        var time: UInt64 = 0
        /// Blocks from which a new beginning was asked for.
        var beginnings: [BlockHash] = []
    }

    let blocks = AsyncChannel<Block>()
    let hints: AsyncStream<NodeHint>
    private let hintSink: AsyncStream<NodeHint>.Continuation
    private let entries: [Recording_RecordingEntry]
    private let senders: [TransactionID: Address]
    /// Transactions whose spent coins the answers leave out.
    private let unnamed: Set<TransactionID>
    /// Those of them whose sender the node cannot say either.
    private let unknown: Set<TransactionID>
    private let state: Mutex<State>

    init(
        _ header: Recording_RecordingHeader, _ entries: [Recording_RecordingEntry],
        senders: [TransactionID: Address] = [:], unnamed: Set<TransactionID> = [], unknown: Set<TransactionID> = []
    ) throws {
        self.entries = entries
        self.senders = senders
        self.unnamed = unnamed
        self.unknown = unknown
        (hints, hintSink) = AsyncStream.makeStream(of: NodeHint.self, bufferingPolicy: .bufferingNewest(1))
        state = Mutex(State(chain: try ReplayChain(header)))
    }

    var now: State { state.withLock { $0 } }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// Tells some more entries, and returns which.
    @discardableResult
    func play(_ count: Int) -> Range<Int> {
        state.withLock { Self.play(count, of: entries, &$0) }
    }

    @discardableResult
    private static func play(
        _ count: Int, of entries: [Recording_RecordingEntry], _ state: inout State
    ) -> Range<Int> {
        let told = state.played..<state.played + min(count, entries.count - state.played)
        for entry in entries[told] {
            do {
                try state.chain.apply(entry)
            } catch {
                preconditionFailure("a recorded entry fits: \(error)")
            }
        }
        state.played = told.upperBound
        return told
    }

    var status: NodeStatus {
        state.withLock { state in
            var status = NodeStatus()
            status.connectedURL = state.isConnected ? "http://model" : nil
            status.virtualDAAScore = state.chain.virtualDAAScore
            return status
        }
    }

    /// There is no other node.
    func leave(_ url: String, _ error: NodeError) {}

    func virtualChain(from start: BlockHash) async throws(NodeError) -> VirtualChainUpdate {
        let answer: Result<VirtualChainUpdate, NodeError> = state.withLock { state in
            do throws(NodeError) {
                return .success(try self.answer(from: start, &state))
            } catch {
                return .failure(error)
            }
        }
        return try answer.get()
    }

    private func answer(from start: BlockHash, _ state: inout State) throws(NodeError) -> VirtualChainUpdate {
        guard state.isConnected else { throw NodeError(.notConnected, "no node") }
        if let left = state.answersLeft {
            guard left > 0 else {
                state.isConnected = false
                throw NodeError(.transport, "the connection broke")
            }
            state.answersLeft = left - 1
        }
        let request = Protowire_GetVirtualChainFromBlockV2RequestMessage.with {
            $0.startHash = start.description
            $0.dataVerbosityLevel = .high
        }
        let message: Protowire_GetVirtualChainFromBlockV2ResponseMessage
        do throws(ReplayRefusal) {
            message = try state.chain.virtualChain(request, batch: state.batch)
        } catch {
            throw NodeError(refusal: error.message)
        }
        var update = try VirtualChainUpdate(message)
        if !state.lags.isEmpty { update = Self.behind(by: state.lags.removeFirst(), update, from: start, state.chain) }
        for block in update.added.indices {
            for index in update.added[block].transactions.indices
            where unnamed.contains(update.added[block].transactions[index].id) {
                update.added[block].transactions[index].inputs[0].spent = nil
            }
        }
        if !state.growth.isEmpty { Self.play(state.growth.removeFirst(), of: entries, &state) }
        return update
    }

    /// The answer of a node that knows all blocks, and whose sink is so many chain blocks lower.
    private static func behind(
        by lag: Int, _ update: VirtualChainUpdate, from start: BlockHash, _ chain: ReplayChain
    ) -> VirtualChainUpdate {
        let top = max(chain.chain.count - 1 - lag, 0)
        guard let position = chain.position[start] else { return update }
        let taken: [BlockHash] = position > top ? chain.chain[(top + 1)...position].reversed().map(\.hash) : []
        let added = update.added.prefix(max(top - position, 0))
        return VirtualChainUpdate(removed: taken, added: Array(added))
    }

    func dagInfo() async throws(NodeError) -> DagInfo {
        let now = now
        guard now.isConnected else { throw NodeError(.notConnected, "no node") }
        return DagInfo(
            networkName: "kaspa-mainnet", pruningPoint: now.chain.pruningPoint, sink: now.chain.sink.hash,
            virtualDAAScore: now.chain.virtualDAAScore, pastMedianTime: now.time)
    }

    func header(of block: BlockHash) async throws(NodeError) -> BlockHeader {
        let known = state.withLock { state in
            state.beginnings.append(block)
            return state.chain.blocks[block]
        }
        guard let known else { throw NodeError(refusal: "cannot find header \(block)") }
        return try BlockHeader(known.header)
    }

    func utxoReturnAddress(of transaction: TransactionID, acceptingDAAScore: UInt64) async throws(NodeError) -> Address
    {
        guard now.isConnected else { throw NodeError(.notConnected, "no node") }
        guard !unknown.contains(transaction), let sender = senders[transaction] else {
            throw NodeError(.rejected, "utxo return address could not be found")
        }
        return sender
    }
}
