/// A block that the node has added to its graph; whether its transactions count is decided later.
public struct Block: Hashable, Sendable {
    /// The block's header.
    public var header: BlockHeader

    /// Those transactions that somebody asked for and that the node described completely.
    public var transactions: [Transaction]

    /// The number of all transactions in the block.
    public var transactionCount: Int

    /// The number of transactions asked for and left out because the node's description lacked their identity.
    public var omittedTransactionCount: Int

    /// Takes a block as the node describes it; without a `transactionCount` it holds no others than are counted here.
    public init(
        header: BlockHeader, transactions: [Transaction], transactionCount: Int? = nil, omittedTransactionCount: Int = 0
    ) {
        self.header = header
        self.transactions = transactions
        self.transactionCount = transactionCount ?? transactions.count + omittedTransactionCount
        self.omittedTransactionCount = omittedTransactionCount
    }
}
