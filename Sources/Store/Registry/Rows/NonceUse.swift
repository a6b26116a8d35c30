/// One use of a challenge's nonce, which must be the only one (`deploy/SECURITY.md`).
public struct NonceUse: Hashable, Sendable {
    /// A nonce has so many bytes.
    public static let byteCount = 16

    /// The nonce: 16 bytes.
    public var nonce: [UInt8]
    /// Until when the nonce is good, milliseconds since 1970.
    public var expiresAt: UInt64
    /// When it is used, milliseconds since 1970: decides which older uses are forgotten.
    public var usedAt: UInt64

    /// For a nonce that was checked otherwise: it is ours, and has not expired.
    public init(nonce: [UInt8], expiresAt: UInt64, usedAt: UInt64) {
        self.nonce = nonce
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }

    /// The key in `used_nonces`.
    var key: [UInt8] {
        var writer = ByteWriter(capacity: 8 + NonceUse.byteCount)
        writer.write(expiresAt)
        return writer.bytes + nonce
    }
}
