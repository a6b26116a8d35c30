import KasiaProtocol
import Kaspa
import Store

extension OperationRecord {
    /// An operation with its payload parsed, as the indexer makes it; `kind` is what the payload is for.
    init(
        transactionID: TransactionID, kind: OperationKind, sender: Address?, receiver: Address?, amount: UInt64,
        blockHash: BlockHash, blockTime: UInt64, acceptance: Acceptance?, acceptedAt: UInt64? = nil, payload: [UInt8]
    ) {
        guard case .operation(let parsed) = PayloadGrammar.classify(payload), parsed.kind == kind else {
            preconditionFailure("a benchmark's payload is a \(kind)")
        }
        self.init(
            transactionID: transactionID, sender: sender, receiver: receiver, amount: amount, blockHash: blockHash,
            blockTime: blockTime, acceptance: acceptance, acceptedAt: acceptedAt, payload: payload, parsed: parsed)
    }
}
