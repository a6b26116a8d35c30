package import Kaspa

extension VirtualChainUpdate {
    /// Reads an answer of GetVirtualChainFromBlockV2 at verbosity HIGH.
    ///
    /// Nothing is left out, since no later answer would bring it: a missing or unreadable field throws
    /// `malformedAnswer`.
    package init(_ message: Protowire_GetVirtualChainFromBlockV2ResponseMessage) throws(NodeError) {
        guard message.addedChainBlockHashes.count == message.chainBlockAcceptedTransactions.count else {
            throw NodeError(.malformedAnswer, "the added blocks and what they accept differ in number")
        }
        var added: [AcceptingBlock] = []
        added.reserveCapacity(message.addedChainBlockHashes.count)
        for (hash, acceptance) in zip(message.addedChainBlockHashes, message.chainBlockAcceptedTransactions) {
            let block = try AcceptingBlock(acceptance)
            guard try Fields.hash(hash, "an added block's hash") == block.header.hash else {
                throw NodeError(.malformedAnswer, "the added blocks and what they accept differ in order")
            }
            added.append(block)
        }
        self.init(
            removed: try message.removedChainBlockHashes.map { hash throws(NodeError) in
                try Fields.hash(hash, "a removed block's hash")
            },
            added: added)
    }
}

extension AcceptingBlock {
    /// Reads one chain block with the transactions that it accepts.
    package init(_ message: Protowire_RpcChainBlockAcceptedTransactions) throws(NodeError) {
        self.init(
            header: try BlockHeader(
                try Fields.present(message.chainBlockHeader, message.hasChainBlockHeader, "a chain block's header")),
            transactions: try message.acceptedTransactions.map { transaction throws(NodeError) in
                try Transaction(transaction)
            })
    }
}

extension BlockHeader {
    /// Reads the header of a chain block, with all four fields.
    package init(_ message: Protowire_RpcOptionalHeader) throws(NodeError) {
        let timestamp = try Fields.present(message.timestamp, message.hasTimestamp, "a chain block's timestamp")
        self.init(
            hash: try Fields.hash(message.hash, "a chain block's hash"),
            timestamp: try Fields.milliseconds(timestamp, "a chain block's timestamp"),
            daaScore: try Fields.present(message.daaScore, message.hasDaaScore, "a chain block's DAA score"),
            blueScore: try Fields.present(message.blueScore, message.hasBlueScore, "a chain block's blue score"))
    }
}

extension Transaction {
    /// Reads an accepted transaction.
    package init(_ message: Protowire_RpcOptionalTransaction) throws(NodeError) {
        let verbose = message.verboseData
        self.init(
            id: try Fields.hash(verbose.transactionID, "an accepted transaction's id"),
            inputs: try message.inputs.map { input throws(NodeError) in try TransactionInput(input) },
            outputs: try message.outputs.map { output throws(NodeError) in
                TransactionOutput(
                    amount: Sompi(try Fields.present(output.value, output.hasValue, "an output's value")),
                    script: try Script(
                        try Fields.present(output.scriptPublicKey, output.hasScriptPublicKey, "an output's script")))
            },
            payload: try Fields.bytes(message.payload, "a payload"),
            blockHash: try Fields.optionalHash(verbose.blockHash, "an accepted transaction's block"),
            blockTime: verbose.hasBlockTime ? verbose.blockTime : nil)
    }
}

extension TransactionInput {
    init(_ message: Protowire_RpcOptionalTransactionInput) throws(NodeError) {
        let outpoint = try Fields.present(message.previousOutpoint, message.hasPreviousOutpoint, "an outpoint")
        let entry = message.verboseData.utxoEntry
        // An entry without amount and script is treated as left out.
        let isKnown = message.verboseData.hasUtxoEntry && entry.hasAmount && entry.hasScriptPublicKey
        self.init(
            outpoint: Outpoint(
                transactionID: try Fields.hash(outpoint.transactionID, "an outpoint's transaction"),
                index: outpoint.index),
            spent: isKnown ? SpentOutput(amount: Sompi(entry.amount), script: try Script(entry.scriptPublicKey)) : nil)
    }
}
