import Kaspa
import Store

/// Finds the plain transfers that touch an address which a device watches.
///
/// A coinbase counts: its coins are funds, and it spends nobody's. So does a transaction whose payload has our root but
/// is no operation; one that carries an operation is listed and told of as such, and not at all if it claims another's
/// key in a group. An input whose coin the node does not name counts as a stranger's.
struct TransferReader: Sendable {
    /// What an accepted transaction moves, as the store wants it.
    struct Parties {
        var funds: Funds
        /// Those who may be watched.
        var listed: [Address]
        /// Sompi.
        var toSpenders = Sompi.zero
        var toOthers = Sompi.zero
    }

    let network: Network
    /// nil: nobody watches anything.
    let scripts: (any ScriptFilter)?

    /// Who gets and who spends; nil when nobody of them may be watched, which is almost always.
    func parties(of transaction: Transaction) -> Parties? {
        guard let scripts, !scripts.isEmpty, touchesWatched(transaction, scripts) else { return nil }
        let spenders = spenders(of: transaction)
        var parties = Parties(funds: Funds(credits: [], spenders: spenders), listed: [])
        let spending = Set(spenders)
        var positions: [Address: Int] = [:]
        for output in transaction.outputs {
            let address = output.script.address(on: network)
            if let address, spending.contains(address) {
                parties.toSpenders += output.amount
            } else {
                parties.toOthers += output.amount
            }
            guard let address else { continue }
            if let position = positions[address] {
                let sum = Sompi(parties.funds.credits[position].amount) + output.amount
                parties.funds.credits[position].amount = sum.amount
            } else if parties.funds.credits.count < Funds.maximumAddresses {
                positions[address] = parties.funds.credits.count
                parties.funds.credits.append(Funds.Credit(address: address, amount: output.amount.amount))
            }
        }
        var seen: Set<Address> = []
        parties.listed = (parties.funds.credits.map(\.address) + spenders).filter { address in
            Script(paying: address).bytes.withUnsafeBytes(scripts.mayContain) && seen.insert(address).inserted
        }
        return parties.listed.isEmpty ? nil : parties
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
