package import Kaspa
import KaspaNode

/// A wallet of a generated recording.
package struct GeneratedWallet: Hashable, Sendable {
    /// The x-only key: random bytes, and so not always a point of the curve.
    package let publicKey: [UInt8]

    /// Where the wallet is paid.
    package let address: Address

    /// The blinded group id under which the wallet writes to its group.
    package let blindedGroupID: Hash

    /// An output that pays the wallet, but for the amount.
    let output: Protowire_RpcTransactionOutput

    init?(network: Network, random: inout SeededRandom) {
        publicKey = random.bytes(32)
        blindedGroupID = random.hash()
        guard let address = Address(prefix: network.addressPrefix, version: .schnorr, payload: publicKey) else {
            return nil
        }
        self.address = address
        var output = Protowire_RpcTransactionOutput()
        output.scriptPublicKey.scriptPublicKey = Hex.encode(Script(paying: address).bytes)
        output.verboseData.scriptPublicKeyType = "pubkey"
        output.verboseData.scriptPublicKeyAddress = address.description
        self.output = output
    }

    /// An output that pays the wallet.
    func output(of amount: UInt64) -> Protowire_RpcTransactionOutput {
        var output = output
        output.amount = amount
        return output
    }
}
