import Crypto
import Foundation
import KasiaPushCore
import Kaspa

/// The texts of a request as the service builds them (`SignedContent`), and whether the fake keys have signed them.
///
/// Written from registration-auth.md and not from the library, so that what is sent and what is signed must agree.
struct ModelSignature {
    let auth: RequestAuthorization
    let call: SignedCall
    let token: PushToken
    let lists: SignedLists

    var isSignedByWallet: Bool {
        guard let address = try? Address(parsing: auth.walletAddress), address.version == .schnorr,
            Hex.encode(address.payload) == auth.walletPublicKey
        else { return false }
        let digest = Array(SHA256.hash(data: Array(walletText.utf8)))
        return Hex.encode(FakeWalletKey.signature(of: digest, by: address.payload)) == auth.signature
    }

    var isSignedByDevice: Bool {
        guard let device = auth.device, device.counter > 0, let key = Data(base64Encoded: device.publicKey),
            Hex.encode(SHA256.hash(data: Array(key))) == device.keyID
        else { return false }
        let signature = FakeDeviceKey.signature(of: Array(deviceText(device).utf8), by: Array(key))
        return Data(signature).base64EncodedString() == device.signature
    }

    private var walletText: String {
        [
            "domain=kasia-push-auth:v2", "auth_version=2", "nonce=\(auth.nonce)", "method=\(call.method)",
            "path=\(call.path)", "device_token_hash=\(hash([token.text]))",
            "watched_addresses_hash=\(hash(lists.watchedAddresses.map { $0.lowercased() }))",
            "watched_group_ids_hash=\(hash((lists.watchedGroupIDs ?? []).map { $0.lowercased() }))",
            "capabilities_hash=\(hash(lists.capabilities))",
            "primary_address=\((lists.primaryAddress ?? "").lowercased())", "aliases_hash=\(hash(lists.aliases))",
            "wallet_pubkey=\(auth.walletPublicKey)", "wallet_address=\(auth.walletAddress)",
            "timestamp_ms=\(auth.timestamp)", "expires_at_ms=\(auth.expiresAt)",
        ].joined(separator: "\n")
    }

    private func deviceText(_ device: RequestAuthorization.Device) -> String {
        [
            "domain=kasia-push-device-auth:v1", "nonce=\(auth.nonce)", "method=\(call.method)", "path=\(call.path)",
            "device_token_hash=\(hash([token.text]))", "key_id=\(device.keyID)", "counter=\(device.counter)",
            "timestamp_ms=\(auth.timestamp)", "expires_at_ms=\(auth.expiresAt)",
        ].joined(separator: "\n")
    }

    private func hash(_ members: [String]) -> String {
        let text = Set(members.filter { !$0.isEmpty }).sorted().joined(separator: "\n")
        return Hex.encode(SHA256.hash(data: Array(text.utf8)))
    }
}
