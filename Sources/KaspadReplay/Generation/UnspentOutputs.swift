package import Kaspa
package import KaspaNode

/// The unspent outputs as of one chain block, with a way back.
package struct UnspentOutputs: Sendable {
    /// What one chain block changed, for `undo(_:)`.
    package struct Change: Sendable {
        fileprivate var steps: [(spent: [(Outpoint, SpendableOutput)], made: [Outpoint])] = []
    }

    private var outputs: [Outpoint: SpendableOutput] = [:]

    /// The number of outputs.
    package var count: Int { outputs.count }

    /// The output, if it is unspent.
    package subscript(outpoint: Outpoint) -> SpendableOutput? { outputs[outpoint] }

    /// Spends and makes what the transaction spends and makes.
    ///
    /// Returns the outputs spent, in the order of the inputs; nil if one of them is not there to be spent, or is named
    /// twice, and then nothing is changed.
    package mutating func apply(
        _ transaction: GraphTransaction, recordingIn change: inout Change
    ) -> [SpendableOutput]? {
        var spent: [(Outpoint, SpendableOutput)] = []
        for outpoint in transaction.spends {
            guard let output = outputs.removeValue(forKey: outpoint) else {
                for (outpoint, output) in spent { outputs[outpoint] = output }
                return nil
            }
            spent.append((outpoint, output))
        }
        var made: [Outpoint] = []
        made.reserveCapacity(transaction.message.outputs.count)
        for (index, output) in transaction.message.outputs.enumerated() {
            let outpoint = Outpoint(transactionID: transaction.id, index: UInt32(index))
            outputs[outpoint] = SpendableOutput(output: output, isCoinbase: transaction.isCoinbase)
            made.append(outpoint)
        }
        change.steps.append((spent, made))
        return spent.map(\.1)
    }

    /// Takes back the change made last.
    package mutating func undo(_ change: Change) {
        for step in change.steps.reversed() {
            for outpoint in step.made { outputs[outpoint] = nil }
            for (outpoint, output) in step.spent { outputs[outpoint] = output }
        }
    }
}

/// An output that can be spent, as the accepting answer describes it to the spender.
package struct SpendableOutput: Hashable, Sendable {
    /// Amount, script and address.
    package let output: Protowire_RpcTransactionOutput

    /// Whether a coinbase made it.
    package let isCoinbase: Bool
}
