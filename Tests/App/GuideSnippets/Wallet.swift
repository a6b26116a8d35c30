// The wallet of the example app; on a system without libsecp256k1, such as iOS, with the app's own library.
import KasiaPushCore
import KasiaPushSecp256k1

// snippet: wallet
/// The wallet's key: it signs registrations and opens messages.
struct Wallet: Sendable {
    let key: any WalletKey
    let address: String
    let opener: MessageOpener

    /// On iOS with `MyWalletKey` and `MyCurve`, and the address that the wallet has anyway.
    init?(secret: [UInt8]) {
        guard let key = Secp256k1WalletKey(secret: secret), let address = key.address(),
            let opener = MessageOpener(address: address, secret: secret, curve: LibSecp256k1())
        else { return nil }
        (self.key, self.address, self.opener) = (key, address, opener)
    }

    /// nil when nobody has signed in.
    static func read(_ secrets: any SecretStore) throws -> Wallet? {
        try secrets.read("wallet").flatMap { Wallet(secret: $0) }
    }
}
// end
