import CSecp256k1
public import KasiaPushCore

/// The curve by libsecp256k1.
public struct LibSecp256k1: Secp256k1Curve {
    /// Uses a context that all share.
    public init() {}

    /// The x coordinate of `secret` times a point; see `Secp256k1Curve`.
    public func sharedX(secret: [UInt8], publicKey: [UInt8]) -> [UInt8]? {
        guard secret.count == 32, publicKey.count == 32 || publicKey.count == 33 else { return nil }
        let compressed = publicKey.count == 32 ? [2] + publicKey : publicKey
        var point = secp256k1_pubkey()
        var shared = [UInt8](repeating: 0, count: 32)
        // Without a hash: the point's x coordinate is the result.
        let takeX: secp256k1_ecdh_hash_function = { output, x, _, _ in
            guard let output, let x else { return 0 }
            output.update(from: x, count: 32)
            return 1
        }
        let context = Secp256k1Context.shared.pointer
        guard secp256k1_ec_pubkey_parse(context, &point, compressed, compressed.count) == 1,
            secp256k1_ecdh(context, &shared, &point, secret, takeX, nil) == 1
        else { return nil }
        return shared
    }

    /// Whether a BIP-340 signature is valid; see `Secp256k1Curve`.
    public func isValid(signature: [UInt8], message: [UInt8], publicKey: [UInt8]) -> Bool {
        guard signature.count == 64, publicKey.count == 32 else { return false }
        let context = Secp256k1Context.shared.pointer
        var point = secp256k1_xonly_pubkey()
        return secp256k1_xonly_pubkey_parse(context, &point, publicKey) == 1
            && secp256k1_schnorrsig_verify(context, signature, message, message.count, &point) == 1
    }
}
