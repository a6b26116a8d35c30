/// The wallet's key, wherever it is kept: what registrations are signed with.
public protocol WalletKey: Sendable {
    /// The x-only public key, 32 bytes.
    var publicKey: [UInt8] { get }
    /// Signs a digest of 32 bytes by BIP-340; the answer has 64 bytes.
    ///
    /// Throws whatever keeps the key from signing, such as a user who declined.
    func signature(ofDigest digest: [UInt8]) async throws -> [UInt8]
}
