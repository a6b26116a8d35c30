package import KaspaNode

/// An output that can be spent, as the accepting answer describes it to the spender.
package struct SpendableOutput: Hashable, Sendable {
    /// Amount, script and address.
    package let output: Protowire_RpcTransactionOutput

    /// Whether a coinbase made it.
    package let isCoinbase: Bool
}
