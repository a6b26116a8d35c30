/// One coin that a transaction spends.
public struct TransactionInput: Hashable, Sendable {
    /// Which output is spent.
    public var outpoint: Outpoint

    /// What that output held; nil where the node did not say.
    public var spent: SpentOutput?

    /// Takes an input as the node describes it.
    public init(outpoint: Outpoint, spent: SpentOutput? = nil) {
        self.outpoint = outpoint
        self.spent = spent
    }
}

/// What a spent output held: whose it was and how much.
public struct SpentOutput: Hashable, Sendable {
    /// The coins.
    public var amount: Sompi

    /// The condition that the spender fulfilled.
    public var script: Script

    /// Takes an output's content.
    public init(amount: Sompi, script: Script) {
        self.amount = amount
        self.script = script
    }
}
