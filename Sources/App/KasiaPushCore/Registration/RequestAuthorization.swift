/// The member `auth` of a signed call, with the names that the service reads.
public struct RequestAuthorization: Hashable, Sendable, Encodable {
    /// The member `device_auth`: the device key's signature beside the wallet's.
    public struct Device: Hashable, Sendable, Encodable {
        /// Always `device_key_v1`.
        public let scheme: String
        /// The SHA-256 of the public key, 64 hex digits.
        public let keyID: String
        /// The public key in base64.
        public let publicKey: String
        /// At least 1; it only grows within one token's registration.
        public let counter: UInt64
        /// The signature in base64.
        public let signature: String

        private enum CodingKeys: String, CodingKey {
            case scheme, counter, signature
            case keyID = "key_id"
            case publicKey = "pubkey"
        }
    }

    /// The x-only key, 64 hex digits.
    public let walletPublicKey: String
    /// The wallet's address.
    public let walletAddress: String
    /// The challenge's.
    public let nonce: String
    /// The challenge's `issued_at_ms`.
    public let timestamp: Int64
    /// The challenge's.
    public let expiresAt: Int64
    /// The wallet's signature, 128 hex digits; zeros where the device key alone has signed.
    public let signature: String
    /// 2, or nil for version 1.
    public let version: Int?
    /// The device key's part, if it has signed.
    public let device: Device?

    private enum CodingKeys: String, CodingKey {
        case nonce, signature
        case walletPublicKey = "wallet_pubkey"
        case walletAddress = "wallet_address"
        case timestamp = "timestamp_ms"
        case expiresAt = "expires_at_ms"
        case version = "auth_version"
        case device = "device_auth"
    }
}
