/// How the virtual chain differs from what a reader with a cursor knew.
public struct VirtualChainUpdate: Hashable, Sendable {
    /// The blocks that left the chain, from high to low; what they accepted no longer counts.
    public var removed: [BlockHash]

    /// The blocks that joined the chain, from low to high; they follow the last block that stayed.
    public var added: [AcceptingBlock]

    /// The number of all transactions that the added blocks accept; `added` names those that somebody asked for.
    public var transactionCount: Int

    /// Takes the two halves of an update; without a `transactionCount` no more is accepted than they name.
    public init(removed: [BlockHash] = [], added: [AcceptingBlock] = [], transactionCount: Int? = nil) {
        self.removed = removed
        self.added = added
        self.transactionCount = transactionCount ?? added.reduce(0) { $0 + $1.transactions.count }
    }
}
