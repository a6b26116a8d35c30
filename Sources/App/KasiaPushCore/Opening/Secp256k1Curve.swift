/// The two operations on the curve secp256k1 that opening messages takes.
///
/// `KasiaPushSecp256k1` has them by libsecp256k1; an app can bring its own.
public protocol Secp256k1Curve: Sendable {
    /// The x coordinate, 32 bytes, of `secret` times a point: Diffie-Hellman without a hash.
    ///
    /// - Parameters:
    ///   - secret: 32 bytes, a number from 1 to below the curve's order.
    ///   - publicKey: A compressed key of 33 bytes, or an x coordinate of 32 bytes that stands for the point with even
    ///     y.
    /// - Returns: nil when one of the two is neither.
    func sharedX(secret: [UInt8], publicKey: [UInt8]) -> [UInt8]?

    /// Whether a BIP-340 signature, 64 bytes, is valid for a message of any length and an x-only key, 32 bytes.
    ///
    /// False for other lengths, and for a key that is not on the curve.
    func isValid(signature: [UInt8], message: [UInt8], publicKey: [UInt8]) -> Bool
}
