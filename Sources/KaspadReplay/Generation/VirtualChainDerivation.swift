package import Kaspa
package import KaspaNode

/// Derives the virtual chain from blocks that come one by one, as a node does.
///
/// The sink is the block with the greatest blue work (ties: the greater hash). The chain goes down from it by selected
/// parents. A chain block accepts of the blocks that it merges what is still unspent as of its selected parent; of
/// coinbases only the selected parent's. When the sink moves to another branch, what the old one accepted is undone.
/// Signatures, masses and the other rules of validity are not checked.
package struct VirtualChainDerivation: Sendable {
    private struct Content: Sendable {
        let header: Protowire_RpcBlockHeader
        let transactions: [GraphTransaction]
    }

    private struct Link: Sendable {
        let number: Int
        let block: ChainBlock
        let change: UnspentOutputs.Change
    }

    /// The graph of all blocks that are remembered.
    package private(set) var graph: BlockGraph

    /// The unspent outputs as of the sink.
    package private(set) var unspent = UnspentOutputs()

    private var contents: [Content]
    private var chain: [Link] = []
    private var sinkNumber: Int

    // The number of the block below the lowest link: the start, or the highest chain block that was forgotten.
    private var baseNumber: Int
    private let remembered: Int

    /// Starts at a block, which is on the chain and accepts nothing.
    ///
    /// About `remembered` to twice as many blocks are kept; a block that builds on an earlier one cannot be added.
    package init(start: GraphBlock, remembering remembered: Int = .max) {
        graph = BlockGraph(start: start.hash, blueWork: start.blueWork)
        contents = [Content(header: start.header, transactions: start.transactions)]
        (sinkNumber, baseNumber) = (0, 0)
        self.remembered = max(1, remembered)
    }

    /// The highest block of the virtual chain.
    package var sink: BlockHash { graph[sinkNumber].hash }

    /// The chain above the start, or above what is forgotten, low to high.
    package var chainBlocks: some Sequence<ChainBlock> { chain.lazy.map(\.block) }

    /// The header of a block that is remembered.
    package func header(of number: Int) -> Protowire_RpcBlockHeader { contents[number - graph.firstNumber].header }

    /// Adds a block; returns what it changes of the chain, nil if nothing.
    ///
    /// Throws `repeatedBlock` and `unknownParent`, and then nothing has changed; or `forgottenChain`, and then the
    /// block is in the graph but the chain has not followed it.
    package mutating func add(_ block: GraphBlock) throws(DerivationError) -> VirtualChainStep? {
        let number = try graph.add(block.hash, blueWork: block.blueWork, parents: block.parents)
        contents.append(Content(header: block.header, transactions: block.transactions))
        guard graph.precedes(sinkNumber, number) else { return nil }
        let step = try moveSink(to: number)
        forgetOldBlocks()
        return step
    }

    private mutating func moveSink(to number: Int) throws(DerivationError) -> VirtualChainStep {
        var branch: [Int] = []
        var fork = number
        var height = chain.count
        // A chain's numbers ascend, so one walk down both branches finds where they part.
        while true {
            let top = height > 0 ? chain[height - 1].number : baseNumber
            if fork == top { break }
            if fork > top {
                guard
                    let placement = graph[fork].placement,
                    placement.merged.allSatisfy({ $0 >= graph.firstNumber })
                else {
                    throw DerivationError(.forgottenChain, "Block \(graph[number].hash) forks off below what is kept.")
                }
                branch.append(fork)
                fork = placement.selectedParent
            } else if height > 0 {
                height -= 1
            } else {
                throw DerivationError(.forgottenChain, "Block \(graph[number].hash) forks off below what is kept.")
            }
        }
        let removed = chain[height...].reversed().map { link in
            unspent.undo(link.change)
            return link.block
        }
        chain.removeSubrange(height...)
        let added = branch.reversed().map { number in
            let link = accept(in: number)
            chain.append(link)
            return link.block
        }
        sinkNumber = number
        return VirtualChainStep(removed: removed, added: added)
    }

    /// Lets a block accept on top of the present chain.
    private mutating func accept(in number: Int) -> Link {
        let node = graph[number]
        var change = UnspentOutputs.Change()
        var accepted: [AcceptedTransaction] = []
        for merged in node.placement?.merged ?? [] {
            let content = contents[merged - graph.firstNumber]
            let hash = graph[merged].hash
            for transaction in content.transactions {
                if transaction.isCoinbase, merged != node.placement?.selectedParent { continue }
                guard let spent = unspent.apply(transaction, recordingIn: &change) else { continue }
                accepted.append(
                    AcceptedTransaction(
                        transaction: transaction, block: hash,
                        blockTime: UInt64(clamping: content.header.timestamp), spent: spent))
            }
        }
        let header = contents[number - graph.firstNumber].header
        return Link(
            number: number, block: ChainBlock(hash: node.hash, header: header, accepted: accepted), change: change)
    }

    private mutating func forgetOldBlocks() {
        let count = graph.nextNumber - graph.firstNumber
        guard count / 2 >= remembered else { return }
        // The chain needs a block to stand on, so the sink stays whatever happens.
        let keep = min(graph.nextNumber - remembered, sinkNumber)
        contents.removeFirst(keep - graph.firstNumber)
        graph.forget(below: keep)
        let links = chain.prefix { $0.number < keep }.count
        if links > 0 { baseNumber = chain[links - 1].number }
        chain.removeFirst(links)
    }
}
