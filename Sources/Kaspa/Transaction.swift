/// A transaction as far as the indexer needs it: who spends, who gets, and what is written beside it.
public struct Transaction: Hashable, Sendable {
    /// The transaction's identity.
    public var id: TransactionID

    /// The coins spent, in order; the first one's owner counts as the sender.
    public var inputs: [TransactionInput]

    /// The coins made, in order.
    public var outputs: [TransactionOutput]

    /// The bytes written beside the coins; anyone can write anything.
    public var payload: [UInt8]

    /// The block in which the node found the transaction, if it said so.
    public var blockHash: BlockHash?

    /// That block's time in milliseconds since 1970, if the node said so.
    public var blockTime: UInt64?

    /// Takes a transaction as the node describes it.
    public init(
        id: TransactionID,
        inputs: [TransactionInput] = [],
        outputs: [TransactionOutput] = [],
        payload: [UInt8] = [],
        blockHash: BlockHash? = nil,
        blockTime: UInt64? = nil
    ) {
        self.id = id
        self.inputs = inputs
        self.outputs = outputs
        self.payload = payload
        self.blockHash = blockHash
        self.blockTime = blockTime
    }

    /// Whether it makes the coins of a block's reward, and so spends nothing.
    public var isCoinbase: Bool {
        inputs.isEmpty
    }

    /// What the spent coins are worth beyond the coins made: the miner's.
    ///
    /// nil for a coinbase, and where the node did not name every coin that is spent.
    public var fee: Sompi? {
        guard !isCoinbase, let spent = Sompi.sum(inputs.lazy.map { $0.spent?.amount }),
            let made = Sompi.sum(outputs.lazy.map { $0.amount }), spent >= made
        else { return nil }
        return Sompi(spent.amount - made.amount)
    }
}
