package import Kaspa
package import KaspaNode

/// A block as the derivation needs it.
package struct GraphBlock: Hashable, Sendable {
    /// The block's hash.
    package let hash: BlockHash

    /// The parents in the graph, that is those of level 0.
    package let parents: [BlockHash]

    /// The work behind the block, its own included, as its header says.
    package let blueWork: BlueWork

    /// The header.
    package let header: Protowire_RpcBlockHeader

    /// The block's transactions in order.
    package let transactions: [GraphTransaction]

    /// Takes what the caller has read or made up already.
    package init(
        hash: BlockHash,
        parents: [BlockHash],
        blueWork: BlueWork,
        header: Protowire_RpcBlockHeader,
        transactions: [GraphTransaction]
    ) {
        self.hash = hash
        self.parents = parents
        self.blueWork = blueWork
        self.header = header
        self.transactions = transactions
    }

    /// Reads a block as a node sends it; throws `malformedBlock` naming the field that is not as it should be.
    package init(_ message: Protowire_RpcBlock) throws(DerivationError) {
        let header = message.header
        guard let hash = BlockHash(header.hash) else {
            throw DerivationError(.malformedBlock, "A block has no hash.")
        }
        guard let blueWork = BlueWork(header.blueWork) else {
            throw DerivationError(.malformedBlock, "The blue work of block \(hash) is no number.")
        }
        var parents: [BlockHash] = []
        for text in header.parents.first?.parentHashes ?? [] {
            guard let parent = BlockHash(text) else {
                throw DerivationError(.malformedBlock, "A parent of block \(hash) is no hash.")
            }
            parents.append(parent)
        }
        var transactions: [GraphTransaction] = []
        transactions.reserveCapacity(message.transactions.count)
        for transaction in message.transactions {
            transactions.append(try GraphTransaction(transaction))
        }
        self.init(hash: hash, parents: parents, blueWork: blueWork, header: header, transactions: transactions)
    }
}
