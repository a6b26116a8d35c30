import Kaspa
import Store

/// Finds the plain transfers that touch a watched address.
///
/// A coinbase is one, and so is a transaction whose payload has our root but is no operation. A transaction with an
/// operation is listed and pushed as that operation, or not at all if it claims another's key in a group. An input
/// whose coin the node does not name counts as a stranger's.
struct TransferReader: Sendable {
    let network: Network
    /// The watched scripts; nil if there are none.
    let scripts: (any ScriptFilter)?

    /// The transfer with receivers and spenders; nil when none of them may be watched, as for almost all transactions.
    func read(
        _ transaction: Transaction, in block: BlockHeader, acceptance: OperationRecord.Acceptance
    ) -> TransferRecord? {
        guard let scripts, !scripts.isEmpty, touchesWatched(transaction, scripts) else { return nil }
        let spenders = spenders(of: transaction)
        var transfer = TransferRecord(
            transactionID: transaction.id, blockTime: transaction.blockTime ?? block.timestamp, acceptance: acceptance,
            acceptedAt: block.timestamp, funds: Funds(credits: [], spenders: spenders), fee: transaction.fee?.amount)
        addCredits(of: transaction, to: &transfer)
        var seen: Set<Address> = []
        transfer.listed = (transfer.funds.credits.map(\.address) + spenders).filter { address in
            Script(paying: address).bytes.withUnsafeBytes(scripts.mayContain) && seen.insert(address).inserted
        }
        return transfer.listed.isEmpty ? nil : transfer
    }

    private func addCredits(of transaction: Transaction, to transfer: inout TransferRecord) {
        let spending = Set(transfer.funds.spenders)
        var positions: [Address: Int] = [:]
        var (toSpenders, toOthers) = (Sompi.zero, Sompi.zero)
        for output in transaction.outputs {
            let address = output.script.address(on: network)
            if let address, spending.contains(address) {
                toSpenders += output.amount
            } else {
                toOthers += output.amount
            }
            guard let address else { continue }
            if let position = positions[address] {
                let sum = Sompi(transfer.funds.credits[position].amount) + output.amount
                transfer.funds.credits[position].amount = sum.amount
            } else if transfer.funds.credits.count < Funds.maximumAddresses {
                positions[address] = transfer.funds.credits.count
                transfer.funds.credits.append(Funds.Credit(address: address, amount: output.amount.amount))
            }
        }
        (transfer.toSpenders, transfer.toOthers) = (toSpenders.amount, toOthers.amount)
    }

    private func touchesWatched(_ transaction: Transaction, _ scripts: any ScriptFilter) -> Bool {
        transaction.outputs.contains { $0.script.bytes.withUnsafeBytes(scripts.mayContain) }
            || transaction.inputs.contains { $0.spent?.script.bytes.withUnsafeBytes(scripts.mayContain) == true }
    }

    private func spenders(of transaction: Transaction) -> [Address] {
        var seen: Set<Address> = []
        var spenders: [Address] = []
        for input in transaction.inputs {
            guard spenders.count < Funds.maximumAddresses, let address = input.spent?.script.address(on: network),
                seen.insert(address).inserted
            else { continue }
            spenders.append(address)
        }
        return spenders
    }
}
