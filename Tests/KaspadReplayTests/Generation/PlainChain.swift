import Kaspa
import KaspaNode
import KaspadReplay

/// The consensus rules in their plainest form: every block with its whole past and all its unspent outputs.
///
/// Slow, and so simple that the derivation can be held against it.
struct PlainChain {
    struct Block {
        let content: GraphBlock
        var past: Set<BlockHash> = []
        var selectedParent: BlockHash?
        var merged: [BlockHash] = []
        var accepted: [TransactionID] = []
        var unspent: Set<Outpoint> = []
    }

    private(set) var blocks: [BlockHash: Block]
    private(set) var sink: BlockHash

    init(start: GraphBlock) {
        blocks = [start.hash: Block(content: start)]
        sink = start.hash
    }

    mutating func add(_ content: GraphBlock) throws {
        var block = Block(content: content)
        for hash in content.parents {
            let parent = try parent(hash)
            block.past.formUnion(parent.past.union([hash]))
        }
        let selected = try parent(content.parents.max { precedes($0, $1) } ?? .zero)
        block.selectedParent = selected.content.hash
        block.unspent = selected.unspent
        let others = block.past.subtracting(selected.past).subtracting([selected.content.hash])
        block.merged = [selected.content.hash] + others.sorted(by: precedes)
        for merged in block.merged {
            for transaction in blocks[merged]?.content.transactions ?? [] {
                if transaction.isCoinbase, merged != selected.content.hash { continue }
                guard transaction.spends.allSatisfy(block.unspent.contains) else { continue }
                block.unspent.subtract(transaction.spends)
                for index in transaction.message.outputs.indices {
                    block.unspent.insert(Outpoint(transactionID: transaction.id, index: UInt32(index)))
                }
                block.accepted.append(transaction.id)
            }
        }
        blocks[content.hash] = block
        if precedes(sink, content.hash) { sink = content.hash }
    }

    /// The chain above the start, low to high.
    var chain: [Block] {
        var chain: [Block] = []
        var next = blocks[sink]
        while let block = next, let parent = block.selectedParent {
            chain.append(block)
            next = blocks[parent]
        }
        return chain.reversed()
    }

    private func parent(_ hash: BlockHash) throws -> Block {
        guard let block = blocks[hash] else { throw UnknownParent() }
        return block
    }

    private func precedes(_ first: BlockHash, _ second: BlockHash) -> Bool {
        guard let left = blocks[first]?.content, let right = blocks[second]?.content else { return false }
        return left.blueWork == right.blueWork ? left.hash < right.hash : left.blueWork < right.blueWork
    }

    struct UnknownParent: Error {}
}
