package import Kaspa
import KaspaNode
package import Recordings

/// A node's state after a part of a recording: its blocks, and the virtual chain after all changes so far.
///
/// Pure: no I/O, no clock. `ReplayChain+Answers.swift` has its answers.
package struct ReplayChain: Sendable {
    /// A block of the present virtual chain with what it accepts.
    struct ChainBlock: Sendable {
        let hash: BlockHash
        let acceptance: Protowire_RpcChainBlockAcceptedTransactions

        var blueScore: UInt64 { acceptance.chainBlockHeader.blueScore }
        var daaScore: UInt64 { acceptance.chainBlockHeader.daaScore }
        /// Milliseconds since 1970.
        var timestamp: Int64 { acceptance.chainBlockHeader.timestamp }
    }

    /// Low to high; the first is the recording's start block, of which only the hash is known.
    private(set) var chain: [ChainBlock]
    /// Where in `chain` a block stands.
    private(set) var position: [BlockHash: Int]
    /// The block below, for every block that ever was on the chain or named its selected parent.
    private(set) var parent: [BlockHash: BlockHash] = [:]
    private(set) var blueScore: [BlockHash: UInt64]
    private(set) var blocks: [BlockHash: Protowire_RpcBlock] = [:]
    private(set) var blockOrder: [BlockHash] = []
    private(set) var tips: Set<BlockHash> = []
    private(set) var virtualDAAScore: UInt64 = 0
    /// Nothing below it can be asked for.
    private(set) var pruningPoint: BlockHash
    private(set) var pruningBlueScore: UInt64 = 0

    /// The state before the first entry: a chain of the start block alone.
    package init(_ header: Recording_RecordingHeader) throws(RecordingError) {
        guard let start = Hash(header.startHash) else {
            throw RecordingError(.malformed, "the recording's start is not a hash")
        }
        chain = [ChainBlock(hash: start, acceptance: .init())]
        position = [start: 0]
        blueScore = [start: 0]
        pruningPoint = start
    }

    /// Takes in one entry.
    ///
    /// Throws `malformed` or `inconsistent`, with the state unchanged, for what no node tells.
    package mutating func apply(_ entry: Recording_RecordingEntry) throws(RecordingError) {
        switch entry.event {
        case .block(let block): try add(block)
        case .virtualChain(let change): try change.validated().apply(to: &self)
        case nil: throw RecordingError(.malformed, "an entry without content")
        }
    }

    /// Forgets what is below a block of the present chain, as a node does that prunes; false when it is not on the
    /// chain.
    package mutating func prune(below hash: BlockHash) -> Bool {
        guard let index = position[hash] else { return false }
        pruningPoint = hash
        pruningBlueScore = chain[index].blueScore
        return true
    }

    /// Whether the node still has the block.
    func has(_ hash: BlockHash) -> Bool {
        blueScore[hash].map { $0 >= pruningBlueScore } ?? false
    }

    /// The highest block of the chain.
    var sink: ChainBlock { chain[chain.count - 1] }

    private mutating func add(_ block: Protowire_RpcBlock) throws(RecordingError) {
        guard let hash = Hash(block.header.hash) else {
            throw RecordingError(.malformed, "a block's hash is none: \(block.header.hash)")
        }
        // A node tells each block once; a recording over a reconnect can hold one twice.
        guard blocks.updateValue(block, forKey: hash) == nil else { return }
        blockOrder.append(hash)
        blueScore[hash] = block.header.blueScore
        virtualDAAScore = max(virtualDAAScore, block.header.daaScore)
        if parent[hash] == nil, let selected = Hash(block.verboseData.selectedParentHash) {
            parent[hash] = selected
        }
        tips.insert(hash)
        for parent in block.header.parents.first?.parentHashes ?? [] {
            if let parent = Hash(parent) { tips.remove(parent) }
        }
    }

    /// A change of the chain whose hashes are known to be hashes.
    fileprivate struct Change {
        var removed: [BlockHash]
        var added: [ChainBlock]

        func apply(to state: inout ReplayChain) throws(RecordingError) {
            guard removed.count < state.chain.count,
                removed.elementsEqual(state.chain.reversed().prefix(removed.count).map(\.hash))
            else {
                throw RecordingError(.inconsistent, "the removed blocks are not the top of the virtual chain")
            }
            let kept = state.chain.count - removed.count
            var seen: Set<BlockHash> = []
            for block in added {
                guard seen.insert(block.hash).inserted, state.position[block.hash].map({ $0 >= kept }) ?? true else {
                    throw RecordingError(.inconsistent, "a block is added that is on the virtual chain: \(block.hash)")
                }
            }
            for hash in removed { state.position[hash] = nil }
            state.chain.removeLast(removed.count)
            for block in added {
                state.parent[block.hash] = state.sink.hash
                state.blueScore[block.hash] = block.blueScore
                state.position[block.hash] = state.chain.count
                state.virtualDAAScore = max(state.virtualDAAScore, block.daaScore)
                state.chain.append(block)
            }
        }
    }
}

extension Recording_VirtualChainChange {
    fileprivate func validated() throws(RecordingError) -> ReplayChain.Change {
        let removed = try removedChainBlockHashes.map { text throws(RecordingError) in
            guard let hash = Hash(text) else {
                throw RecordingError(.malformed, "a removed block's hash is none: \(text)")
            }
            return hash
        }
        let added = try added.map { acceptance throws(RecordingError) in
            guard let hash = Hash(acceptance.chainBlockHeader.hash) else {
                throw RecordingError(.malformed, "an added block's hash is none: \(acceptance.chainBlockHeader.hash)")
            }
            return ReplayChain.ChainBlock(hash: hash, acceptance: acceptance)
        }
        return ReplayChain.Change(removed: removed, added: added)
    }
}
