import CSecp256k1
public import KasiaPushCore
import Kaspa

/// A wallet's key in memory; it prints as `…`.
public struct Secp256k1WalletKey: WalletKey, Redacted {
    /// Why a digest could not be signed: it has not 32 bytes.
    public struct WrongDigestLength: Error {}

    /// The x-only public key, 32 bytes.
    public let publicKey: [UInt8]
    private let secret: [UInt8]
    private let auxiliaryRandomness: @Sendable () -> [UInt8]

    /// Takes a secret; nil if it has not 32 bytes, or is no number from 1 to below the curve's order.
    ///
    /// - Parameters:
    ///   - secret: 32 bytes.
    ///   - auxiliaryRandomness: 32 bytes for each signature, which BIP-340 mixes into its nonce.
    public init?(
        secret: [UInt8], auxiliaryRandomness: @escaping @Sendable () -> [UInt8] = systemRandomness
    ) {
        guard secret.count == 32 else { return nil }
        var pair = secp256k1_keypair()
        var point = secp256k1_xonly_pubkey()
        var key = [UInt8](repeating: 0, count: 32)
        let context = Secp256k1Context.shared.pointer
        guard secp256k1_keypair_create(context, &pair, secret) == 1,
            secp256k1_keypair_xonly_pub(context, &point, nil, &pair) == 1,
            secp256k1_xonly_pubkey_serialize(context, &key, &point) == 1
        else { return nil }
        publicKey = key
        self.secret = secret
        self.auxiliaryRandomness = auxiliaryRandomness
    }

    /// 32 of the system's random bytes.
    @Sendable
    public static func systemRandomness() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// The key's address; nil for a prefix that no network has.
    public func address(prefix: String = "kaspa") -> String? {
        AddressPrefix(rawValue: prefix)
            .flatMap { Address(prefix: $0, version: .schnorr, payload: publicKey)?.description }
    }

    /// Signs a digest of 32 bytes by BIP-340.
    ///
    /// - Throws: `WrongDigestLength`.
    public func signature(ofDigest digest: [UInt8]) async throws -> [UInt8] {
        guard digest.count == 32 else { throw WrongDigestLength() }
        let context = Secp256k1Context.shared.pointer
        var pair = secp256k1_keypair()
        var signature = [UInt8](repeating: 0, count: 64)
        let randomness = auxiliaryRandomness()
        precondition(randomness.count == 32, "auxiliary randomness has 32 bytes")
        guard secp256k1_keypair_create(context, &pair, secret) == 1,
            secp256k1_schnorrsig_sign32(context, &signature, digest, &pair, randomness) == 1
        else { preconditionFailure("a secret that was good does not sign") }
        return signature
    }
}
