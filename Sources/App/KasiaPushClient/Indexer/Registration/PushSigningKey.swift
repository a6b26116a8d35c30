/// The public key with which the service signs pushes; `PushSignature` checks by it.
public struct PushSigningKey: Hashable, Sendable, Codable {
    /// `ed25519`.
    public var algorithm: String
    /// The key, 32 bytes, in base64url.
    public var publicKey: String
    /// The first 8 bytes of the key's SHA-256, in hex: another one means that the operator has replaced the key.
    public var keyID: String

    private enum CodingKeys: String, CodingKey {
        case algorithm
        case publicKey = "public_key"
        case keyID = "key_id"
    }
}
