package import Kaspa

extension Block {
    /// Reads a block of a notification or of GetBlock.
    ///
    /// A transaction that cannot be read is counted and left out: the virtual chain brings it later. A header that
    /// cannot be read throws `malformedAnswer`.
    package init(_ message: Protowire_RpcBlock) throws(NodeError) {
        let header = try BlockHeader(try Fields.present(message.header, message.hasHeader, "a block's header"))
        var transactions: [Transaction] = []
        transactions.reserveCapacity(message.transactions.count)
        for transaction in message.transactions {
            if let readable = try? Transaction(transaction) {
                transactions.append(readable)
            }
        }
        self.init(
            header: header, transactions: transactions, transactionCount: message.transactions.count,
            omittedTransactionCount: message.transactions.count - transactions.count)
    }
}

extension BlockHeader {
    /// Reads the header of a block.
    package init(_ message: Protowire_RpcBlockHeader) throws(NodeError) {
        self.init(
            hash: try Fields.hash(message.hash, "a header's hash"),
            timestamp: try Fields.milliseconds(message.timestamp, "a header's timestamp"),
            daaScore: message.daaScore,
            blueScore: message.blueScore)
    }
}

extension Transaction {
    /// Reads a transaction of a block.
    ///
    /// Without `verboseData` it has no id, and this throws.
    package init(_ message: Protowire_RpcTransaction) throws(NodeError) {
        let verbose = try Fields.present(message.verboseData, message.hasVerboseData, "a transaction's verboseData")
        self.init(
            id: try Fields.hash(verbose.transactionID, "a transaction's id"),
            inputs: try message.inputs.map { input throws(NodeError) in try TransactionInput(input) },
            outputs: try message.outputs.map { output throws(NodeError) in
                TransactionOutput(amount: Sompi(output.amount), script: try Script(output.scriptPublicKey))
            },
            payload: try Fields.bytes(message.payload, "a payload"),
            blockHash: try Fields.optionalHash(verbose.blockHash, "a transaction's block"),
            blockTime: verbose.blockTime == 0 ? nil : verbose.blockTime)
    }
}

extension TransactionInput {
    init(_ message: Protowire_RpcTransactionInput) throws(NodeError) {
        let outpoint = Outpoint(
            transactionID: try Fields.hash(message.previousOutpoint.transactionID, "an outpoint's transaction"),
            index: message.previousOutpoint.index)
        let entry = message.verboseData.utxoEntry
        self.init(
            outpoint: outpoint,
            spent: message.verboseData.hasUtxoEntry
                ? SpentOutput(amount: Sompi(entry.amount), script: try Script(entry.scriptPublicKey)) : nil)
    }
}
