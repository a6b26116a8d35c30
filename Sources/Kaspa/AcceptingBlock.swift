/// A block of the virtual chain with the transactions that it accepts, its own or those of blocks it merges.
public struct AcceptingBlock: Hashable, Sendable {
    /// The chain block's header.
    public var header: BlockHeader

    /// The accepted transactions that somebody asked for, in the order of acceptance.
    public var transactions: [Transaction]

    /// Takes a chain block and what it accepts.
    public init(header: BlockHeader, transactions: [Transaction]) {
        self.header = header
        self.transactions = transactions
    }
}
