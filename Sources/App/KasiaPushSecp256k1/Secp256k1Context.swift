import CSecp256k1

/// The library's context, made once.
// Sendable is unchecked because the context is an opaque pointer. It never changes once it is made, and the library's
// functions that take it as const may run on any number of threads at once.
final class Secp256k1Context: @unchecked Sendable {
    static let shared = Secp256k1Context()
    let pointer: OpaquePointer

    private init() {
        pointer = secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE))
        // Blinds the multiplications with secrets against who measures them; without it they are right all the same.
        _ = secp256k1_context_randomize(pointer, Secp256k1WalletKey.systemRandomness())
    }

    deinit { secp256k1_context_destroy(pointer) }
}
