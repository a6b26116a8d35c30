import KasiaProtocol
import Kaspa
import Store

/// Makes an `OperationRecord` from a transaction that carries one of our operations.
///
/// The payload is parsed here, once.
struct OperationReader: Sendable {
    enum Reading {
        /// No payload of ours, like most transactions.
        case foreign
        /// A payload with our root, but of no known kind or malformed. It is counted under this name.
        case ignored(String)
        case operation(OperationRecord)
    }

    let network: Network

    /// `block` is the block that the node sent the transaction with, for nodes that do not name its block and time.
    func read(
        _ transaction: Transaction, in block: BlockHeader, acceptance: OperationRecord.Acceptance?
    ) -> Reading {
        switch PayloadGrammar.classify(transaction.payload) {
        case .notOurs: return .foreign
        case .unknown: return .ignored("unknown")
        case .malformed: return .ignored("malformed")
        case .operation(let parsed):
            // A coinbase spends no coin, so it has no sender.
            guard !transaction.isCoinbase else { return .ignored("coinbase") }
            let parties = Parties.parties(of: transaction, on: network)
            let pays = parsed.kind.paysReceiver
            return .operation(
                OperationRecord(
                    transactionID: transaction.id, sender: parties.sender, receiver: pays ? parties.receiver : nil,
                    amount: pays ? parties.amount.amount : 0, blockHash: transaction.blockHash ?? block.hash,
                    blockTime: transaction.blockTime ?? block.timestamp, acceptance: acceptance,
                    acceptedAt: acceptance == nil ? nil : block.timestamp, fee: transaction.fee?.amount,
                    payload: transaction.payload, parsed: parsed))
        }
    }
}
