import Crypto

/// The sealed form of a message to one key: nonce, ephemeral key, ciphertext with its tag.
struct SealedEnvelope {
    static let nonceBytes = 12
    static let tagBytes = 16

    private let nonce: ArraySlice<UInt8>
    /// Compressed, or in the older form x-only.
    private let ephemeralKey: ArraySlice<UInt8>
    private let ciphertext: ArraySlice<UInt8>
    private let tag: ArraySlice<UInt8>

    /// nil for fewer bytes than the form has.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > SealedEnvelope.nonceBytes else { return nil }
        // A byte 2 or 3 marks a compressed key.
        let marker = bytes[SealedEnvelope.nonceBytes]
        let keyEnd = SealedEnvelope.nonceBytes + (marker == 2 || marker == 3 ? 33 : 32)
        guard bytes.count >= keyEnd + SealedEnvelope.tagBytes else { return nil }
        nonce = bytes[..<SealedEnvelope.nonceBytes]
        ephemeralKey = bytes[SealedEnvelope.nonceBytes..<keyEnd]
        ciphertext = bytes[keyEnd..<(bytes.count - SealedEnvelope.tagBytes)]
        tag = bytes.suffix(SealedEnvelope.tagBytes)
    }

    /// What was sealed; nil when it was sealed for another key, or altered.
    func open(secret: [UInt8], curve: any Secp256k1Curve) -> [UInt8]? {
        guard let shared = curve.sharedX(secret: secret, publicKey: Array(ephemeralKey)) else { return nil }
        let key = KeyDerivation.key(from: shared)
        return SealedEnvelope.open(nonce: nonce, ciphertext: ciphertext, tag: tag, key: key)
    }

    /// ChaCha20-Poly1305 (RFC 8439).
    static func open(
        nonce: ArraySlice<UInt8>, ciphertext: ArraySlice<UInt8>, tag: ArraySlice<UInt8>, key: SymmetricKey,
        additionalData: [UInt8] = []
    ) -> [UInt8]? {
        guard let nonce = try? ChaChaPoly.Nonce(data: nonce),
            let box = try? ChaChaPoly.SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag),
            let text = try? ChaChaPoly.open(box, using: key, authenticating: additionalData)
        else { return nil }
        return Array(text)
    }
}
