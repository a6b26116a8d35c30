import Crypto
import Kaspa

/// The half of the operator's key that apps check signatures with.
public struct SigningPublicKey: Equatable, Sendable {
    /// The key of RFC 8032, 32 bytes.
    public let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// The bytes in base64url, 43 characters.
    public var text: String { Base64URL.encode(bytes) }

    /// The first 8 bytes of the SHA-256 of the bytes in hex, 16 digits.
    public var keyID: String { Hex.encode(SHA256.hash(data: bytes).prefix(8)) }
}
