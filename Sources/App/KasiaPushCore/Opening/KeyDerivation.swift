import Crypto

/// HKDF with SHA-256 (RFC 5869), as all of the apps' keys are derived.
enum KeyDerivation {
    /// A key; without salt and info where none is given.
    static func key(
        from secret: [UInt8], salt: [UInt8] = [], info: [UInt8] = [], bytes: Int = 32
    ) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), salt: salt, info: info, outputByteCount: bytes)
    }

    /// The same as bytes.
    static func bytes(
        from secret: [UInt8], salt: [UInt8] = [], info: [UInt8] = [], count: Int = 32
    ) -> [UInt8] {
        key(from: secret, salt: salt, info: info, bytes: count).withUnsafeBytes { Array($0) }
    }
}
