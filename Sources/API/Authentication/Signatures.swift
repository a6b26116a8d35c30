import Crypto
import CSecp256k1

/// Verifies BIP-340 signatures with libsecp256k1.
///
/// The only importer of CSecp256k1.
// Sendable is unchecked because the context is an opaque pointer: it is never changed after it was made, and the
// library's functions that take it as const may run at once on any number of threads.
final class WalletSignature: @unchecked Sendable {
    private static let shared = WalletSignature()
    private let context: OpaquePointer

    private init() {
        context = secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE))
    }

    deinit { secp256k1_context_destroy(context) }

    /// Whether `signature` (64 bytes) is the x-only key's (32 bytes) over a message of 32 bytes.
    ///
    /// False too for a key that is on no point, and for any other length.
    static func isValid(_ signature: [UInt8], of digest: [UInt8], by key: [UInt8]) -> Bool {
        guard signature.count == 64, digest.count == 32, key.count == 32 else { return false }
        var point = secp256k1_xonly_pubkey()
        return secp256k1_xonly_pubkey_parse(shared.context, &point, key) == 1
            && secp256k1_schnorrsig_verify(shared.context, signature, digest, digest.count, &point) == 1
    }
}

/// Verifies the signatures of device keys: ECDSA on P-256 over SHA-256.
enum DeviceSignature {
    /// Whether `signature`, DER or r and s, is the key's (65 bytes, uncompressed) over the digest.
    ///
    /// False too for a key that is on no point.
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

/// Comparisons that take as long whatever they find: no answer's time tells how much of a guess was right.
enum ConstantTime {
    /// Whether both are the same; only their lengths show.
    static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
