import Kaspa
import Store

/// Finds the plain transfers that credit an address which a device watches for funds.
///
/// A coinbase counts: its coins are funds, and it spends nobody's. So does a transaction whose payload has our root but
/// is no operation; whoever carries an operation is told of as such, or not at all. An input whose coin the node does
/// not name counts as a stranger's.
struct FundsReader: Sendable {
    let network: Network
    /// nil: nobody watches anything.
    let scripts: (any ScriptFilter)?

    /// Who gets and who spends; nil when no output may be watched, which is almost always.
    func funds(of transaction: Transaction) -> Funds? {
        guard let scripts, !scripts.isEmpty else { return nil }
        var credits: [Funds.Credit] = []
        var positions: [Address: Int] = [:]
        for output in transaction.outputs where output.script.bytes.withUnsafeBytes(scripts.mayContain) {
            guard let address = output.script.address(on: network) else { continue }
            if let position = positions[address] {
                credits[position].amount = (Sompi(credits[position].amount) + output.amount).amount
            } else if credits.count < Funds.maximumAddresses {
                positions[address] = credits.count
                credits.append(Funds.Credit(address: address, amount: output.amount.amount))
            }
        }
        return credits.isEmpty ? nil : Funds(credits: credits, spenders: spenders(of: transaction))
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
