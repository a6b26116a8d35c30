package import Kaspa
package import KaspaNode

/// A transaction as the derivation needs it, beside the message that a block carries.
package struct GraphTransaction: Hashable, Sendable {
    /// The transaction's identity.
    package let id: TransactionID

    /// The outputs that it spends; none for a coinbase.
    package let spends: [Outpoint]

    /// The message that a block carries, with everything else.
    package let message: Protowire_RpcTransaction

    /// Takes a message whose identity and spends the caller knows.
    package init(id: TransactionID, spends: [Outpoint], message: Protowire_RpcTransaction) {
        self.id = id
        self.spends = spends
        self.message = message
    }

    /// Reads a message; throws `malformedBlock` if a transaction id in it is no hash.
    package init(_ message: Protowire_RpcTransaction) throws(DerivationError) {
        guard let id = TransactionID(message.verboseData.transactionID) else {
            throw DerivationError(.malformedBlock, "A transaction has no id.")
        }
        var spends: [Outpoint] = []
        for input in message.inputs {
            guard let spent = TransactionID(input.previousOutpoint.transactionID) else {
                throw DerivationError(.malformedBlock, "Transaction \(id) spends an output of no transaction.")
            }
            spends.append(Outpoint(transactionID: spent, index: input.previousOutpoint.index))
        }
        self.init(id: id, spends: spends, message: message)
    }

    /// Whether it makes the coins of a block's reward.
    package var isCoinbase: Bool { spends.isEmpty }
}
