import KasiaPushCore
import Kaspa

/// A member `auth` of the right form, by keys that sign nothing.
enum SampleAuthorization {
    private struct Wallet: WalletKey {
        let publicKey = [UInt8](repeating: 7, count: 32)

        func signature(ofDigest digest: [UInt8]) async throws -> [UInt8] { [UInt8](repeating: 9, count: 64) }
    }

    /// The wallet's address.
    static let address = Address(prefix: .kaspa, version: .schnorr, payload: Wallet().publicKey)?.description ?? ""

    /// Signs a call in version 2, with a device key beside the wallet's.
    static func make(
        _ call: SignedCall, token: PushToken?, lists: SignedLists = .empty
    ) async throws -> RequestAuthorization {
        let signer = RequestSigner(wallet: Wallet(), walletAddress: address, device: SoftwareDeviceKey())
        let challenge = PushChallenge(
            nonce: String(repeating: "0a", count: 16), issuedAt: 1_767_225_600_000, expiresAt: 1_767_225_660_000)
        return try await signer.authorization(call, token: token, lists: lists, challenge: challenge, counter: 1)
    }
}
