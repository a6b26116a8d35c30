/// A block that the node has added to its graph; whether its transactions count is decided later.
public struct Block: Hashable, Sendable {
    /// The block's header.
    public var header: BlockHeader

    /// Those transactions that the node described completely.
    public var transactions: [Transaction]

    /// The number of transactions left out because the node's description lacked their identity.
    public var omittedTransactionCount: Int

    /// Takes a block as the node describes it.
    public init(header: BlockHeader, transactions: [Transaction], omittedTransactionCount: Int = 0) {
        self.header = header
        self.transactions = transactions
        self.omittedTransactionCount = omittedTransactionCount
    }
}
