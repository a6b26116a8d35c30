package import Kaspa
package import KaspaNode

/// A transaction that a chain block accepts.
package struct AcceptedTransaction: Hashable, Sendable {
    /// The transaction.
    package let transaction: GraphTransaction

    /// The merged block that it is taken from, and that block's time in milliseconds since 1970.
    package let block: BlockHash
    package let blockTime: UInt64

    /// The outputs that it spends, in the order of its inputs.
    package let spent: [SpendableOutput]
}

/// A block of the virtual chain with what it accepts, in order.
package struct ChainBlock: Hashable, Sendable {
    /// The chain block's hash.
    package let hash: BlockHash

    /// The chain block's header.
    package let header: Protowire_RpcBlockHeader

    /// What it accepts of the blocks that it merges.
    package let accepted: [AcceptedTransaction]
}

/// What one more block changed of the virtual chain.
package struct VirtualChainStep: Hashable, Sendable {
    /// High to low.
    package let removed: [ChainBlock]

    /// Low to high; never empty.
    package let added: [ChainBlock]
}
