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
