/// A key that belongs to the device, at best in its secure element: a stand-in for the wallet when it is gone.
public protocol DeviceKey: Sendable {
    /// The P-256 public key, uncompressed: 65 bytes that begin with 4.
    var publicKey: [UInt8] { get }
    /// Signs a message by ECDSA over its SHA-256; the answer is DER (at most 72 bytes) or r and s (64 bytes).
    func signature(of message: [UInt8]) async throws -> [UInt8]
}
