import Crypto

/// Verifies the signatures of device keys: ECDSA on P-256 over SHA-256.
enum DeviceSignature {
    /// Whether `signature`, DER or r and s, is the key's (65 bytes, uncompressed) over the digest.
    ///
    /// False too for a key that is on no point.
    static func isValid(_ signature: [UInt8], of digest: SHA256Digest, by key: [UInt8]) -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: key) else { return false }
        // Both forms can have 64 bytes.
        let forms = [
            try? P256.Signing.ECDSASignature(derRepresentation: signature),
            signature.count == 64 ? try? P256.Signing.ECDSASignature(rawRepresentation: signature) : nil,
        ]
        return forms.contains { $0.map { key.isValidSignature($0, for: digest) } ?? false }
    }
}
