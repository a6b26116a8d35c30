import Crypto
import CSecp256k1

/// Verifies BIP-340 signatures with libsecp256k1.
///
/// Only this file imports CSecp256k1.
// Sendable is unchecked because the context is an opaque pointer. It never changes once it is made, and the library's
// functions that take it as const may run on any number of threads at once.
final class WalletSignature: @unchecked Sendable {
    private static let shared = WalletSignature()
    private let context: OpaquePointer

    private init() {
        context = secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE))
    }

    deinit { secp256k1_context_destroy(context) }

    /// Whether `signature` (64 bytes) is valid for the x-only key (32 bytes) and a message of 32 bytes.
    ///
    /// False for a key that is not on the curve, and for any other length.
    static func isValid(_ signature: [UInt8], of digest: [UInt8], by key: [UInt8]) -> Bool {
        guard signature.count == 64, digest.count == 32, key.count == 32 else { return false }
        var point = secp256k1_xonly_pubkey()
        return secp256k1_xonly_pubkey_parse(shared.context, &point, key) == 1
            && secp256k1_schnorrsig_verify(shared.context, signature, digest, digest.count, &point) == 1
    }
}

/// Verifies the signatures of device keys: ECDSA on P-256 over SHA-256.
enum DeviceSignature {
    /// Whether `signature`, DER or raw r and s, is valid for the key (65 bytes, uncompressed) and the digest.
    ///
    /// False for a key that is not on the curve.
    static func isValid(_ signature: [UInt8], of digest: SHA256Digest, by key: [UInt8]) -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: key) else { return false }
        // Both forms can have 64 bytes.
        let forms = [
            try? P256.Signing.ECDSASignature(derRepresentation: signature),
            signature.count == 64 ? try? P256.Signing.ECDSASignature(rawRepresentation: signature) : nil,
        ]
        return forms.contains { $0.map { key.isValidSignature($0, for: digest) } ?? false }
    }
}

/// Comparisons in constant time, so that the time of an answer does not reveal how much of a guess was right.
enum ConstantTime {
    /// Whether both are equal.
    ///
    /// The time depends on their lengths only.
    static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
