/// One coin that a transaction makes.
public struct TransactionOutput: Hashable, Sendable {
    /// The coins.
    public var amount: Sompi

    /// The condition under which they can be spent.
    public var script: Script

    /// Takes an output's content.
    public init(amount: Sompi, script: Script) {
        self.amount = amount
        self.script = script
    }
}
