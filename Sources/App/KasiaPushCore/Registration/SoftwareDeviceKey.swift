import Crypto

/// A device key in memory, for devices without a secure element and for tests.
public struct SoftwareDeviceKey: DeviceKey, Redacted {
    private let key: P256.Signing.PrivateKey

    /// Takes a secret of 32 bytes that was made before.
    ///
    /// - Throws: `CryptoKitError` for another length, zero, or a number beyond the curve's order.
    public init(secret: [UInt8]) throws {
        key = try P256.Signing.PrivateKey(rawRepresentation: secret)
    }

    /// Makes a new key with the system's random numbers.
    public init() {
        key = P256.Signing.PrivateKey()
    }

    /// The 32 bytes to keep in the key chain.
    public var secret: [UInt8] { Array(key.rawRepresentation) }

    /// The public key, 65 bytes.
    public var publicKey: [UInt8] { Array(key.publicKey.x963Representation) }

    /// Signs a message; the answer is DER.
    public func signature(of message: [UInt8]) async throws -> [UInt8] {
        Array(try key.signature(for: message).derRepresentation)
    }
}

#if canImport(CryptoKit)
@preconcurrency import CryptoKit
import Foundation

/// A device key in the Secure Enclave: it signs there and never leaves it.
public struct SecureEnclaveDeviceKey: DeviceKey, Redacted {
    private let key: SecureEnclave.P256.Signing.PrivateKey

    /// Makes a new key; throws where there is no Secure Enclave.
    public init() throws {
        key = try SecureEnclave.P256.Signing.PrivateKey()
    }

    /// Takes what `reference` was, on the same device.
    public init(reference: [UInt8]) throws {
        key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data(reference))
    }

    /// What to keep, to find the key again; only this device's Secure Enclave can read it.
    public var reference: [UInt8] { Array(key.dataRepresentation) }

    /// The public key, 65 bytes.
    public var publicKey: [UInt8] { Array(key.publicKey.x963Representation) }

    /// Signs a message; the answer is DER.
    public func signature(of message: [UInt8]) async throws -> [UInt8] {
        Array(try key.signature(for: message).derRepresentation)
    }
}
#endif
