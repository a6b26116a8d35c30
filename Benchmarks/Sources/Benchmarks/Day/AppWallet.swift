import CSecp256k1Client
import Crypto
import Foundation
import Kaspa

/// An app's wallet with its key, which signs registrations as an app does (version 2).
struct AppWallet {
    private let secret: [UInt8]
    private let publicKey: String
    private let address: Address

    /// The key is SHA-256 of the name.
    init(_ name: String) throws {
        secret = Array(SHA256.hash(data: Data(name.utf8)))
        var point = secp256k1_xonly_pubkey()
        var bytes = [UInt8](repeating: 0, count: 32)
        let isMade = try Self.withPair(of: secret) { context, pair in
            secp256k1_keypair_xonly_pub(context, &point, nil, &pair) == 1
                && secp256k1_xonly_pubkey_serialize(context, &bytes, &point) == 1
        }
        guard isMade, let address = Address(prefix: .kaspa, version: .schnorr, payload: bytes) else {
            throw BenchmarkError("A wallet's key is none.")
        }
        publicKey = Hex.encode(bytes)
        self.address = address
    }

    /// The member `auth` of a call about a device, for a challenge that the service has just answered.
    func authentication(
        challenge: Data, method: String, path: String, token: String, watched: [Address] = [], primary: Address? = nil
    ) throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: challenge) as? [String: Any],
            let nonce = object["nonce"] as? String, let issued = object["issued_at_ms"] as? UInt64,
            let expires = object["expires_at_ms"] as? UInt64
        else { throw BenchmarkError("A challenge is none.") }
        let text = Self.signedText(
            nonce: nonce, issued: issued, expires: expires, method: method, path: path, token: token,
            watched: watched.map(\.description), primary: primary?.description ?? "", publicKey: publicKey,
            wallet: address.description)
        return [
            "auth_version": 2, "wallet_pubkey": publicKey, "wallet_address": address.description, "nonce": nonce,
            "timestamp_ms": issued, "expires_at_ms": expires,
            "signature": try sign(text),
        ]
    }

    /// What a wallet signs.
    static func signedText(
        nonce: String, issued: UInt64, expires: UInt64, method: String, path: String, token: String,
        watched: [String], primary: String, publicKey: String, wallet: String
    ) -> String {
        [
            "domain=kasia-push-auth:v2", "auth_version=2", "nonce=\(nonce)", "method=\(method)", "path=\(path)",
            "device_token_hash=\(hash([token]))",
            "watched_addresses_hash=\(hash(watched.sorted()))",
            "watched_group_ids_hash=\(hash([]))", "capabilities_hash=\(hash([]))",
            "primary_address=\(primary)", "aliases_hash=\(hash([]))",
            "wallet_pubkey=\(publicKey)", "wallet_address=\(wallet)", "timestamp_ms=\(issued)",
            "expires_at_ms=\(expires)",
        ].joined(separator: "\n")
    }

    private func sign(_ text: String) throws -> String {
        let digest = Array(SHA256.hash(data: Data(text.utf8)))
        var signature = [UInt8](repeating: 0, count: 64)
        let isSigned = try Self.withPair(of: secret) { context, pair in
            secp256k1_schnorrsig_sign32(context, &signature, digest, &pair, nil) == 1
        }
        guard isSigned else { throw BenchmarkError("A wallet cannot sign.") }
        return Hex.encode(signature)
    }

    private static func withPair<Result>(
        of secret: [UInt8], _ body: (OpaquePointer, inout secp256k1_keypair) -> Result
    ) throws -> Result {
        guard let context = secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)) else {
            throw BenchmarkError("libsecp256k1 gives no context.")
        }
        defer { secp256k1_context_destroy(context) }
        var pair = secp256k1_keypair()
        guard secp256k1_keypair_create(context, &pair, secret) == 1 else {
            throw BenchmarkError("A wallet's secret is no key.")
        }
        return body(context, &pair)
    }

    private static func hash(_ list: [String]) -> String {
        Hex.encode(SHA256.hash(data: Data(list.joined(separator: "\n").utf8)))
    }
}
