import Crypto
public import Store

/// Seals messages for one browser or app (RFC 8291, which is RFC 8188's `aes128gcm` with keys agreed on P-256).
public enum MessageEncryption {
    /// What every push service takes of a sealed message.
    public static let maximumSealedBytes = 4_096
    /// The longest message: the header, the delimiter and the tag are 103 bytes.
    public static let maximumPlaintextBytes = 3_993

    /// The record size that the header names: no message has more than one record.
    private static let recordSize: UInt32 = 4_096
    private static let saltBytes = 16

    /// Seals a message with a key pair and a salt of its own.
    public static func seal(
        _ message: [UInt8], for keys: DeviceRecord.SubscriptionKeys
    ) throws(MessageEncryptionError) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<saltBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return try seal(message, for: keys, from: P256.KeyAgreement.PrivateKey(), salt: salt)
    }

    /// Seals a message with this key pair and salt, neither of which may be used twice.
    static func seal(
        _ message: [UInt8], for keys: DeviceRecord.SubscriptionKeys, from sender: P256.KeyAgreement.PrivateKey,
        salt: [UInt8]
    ) throws(MessageEncryptionError) -> [UInt8] {
        guard message.count <= maximumPlaintextBytes else { throw .tooLong }
        guard keys.publicKey.count == DeviceRecord.SubscriptionKeys.publicKeyBytes,
            keys.secret.count == DeviceRecord.SubscriptionKeys.secretBytes,
            let receiver = try? P256.KeyAgreement.PublicKey(x963Representation: keys.publicKey),
            let agreed = try? sender.sharedSecretFromKeyAgreement(with: receiver)
        else { throw .unusableKeys }
        let ownKey = Array(sender.publicKey.x963Representation)
        let input = agreed.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: keys.secret,
            sharedInfo: Array("WebPush: info\0".utf8) + keys.publicKey + ownKey, outputByteCount: 32)
        let root = HKDF<SHA256>.extract(inputKeyMaterial: input, salt: salt)
        let key = HKDF<SHA256>.expand(
            pseudoRandomKey: root, info: Array("Content-Encoding: aes128gcm\0".utf8), outputByteCount: 16)
        let nonce = HKDF<SHA256>.expand(
            pseudoRandomKey: root, info: Array("Content-Encoding: nonce\0".utf8), outputByteCount: 12)
        // 2 ends the last record.
        guard let nonce = try? nonce.withUnsafeBytes({ try AES.GCM.Nonce(data: $0) }),
            let box = try? AES.GCM.seal(message + [2], using: key, nonce: nonce)
        else { throw .failed }
        let size = withUnsafeBytes(of: recordSize.bigEndian) { Array($0) }
        return salt + size + [UInt8(ownKey.count)] + ownKey + box.ciphertext + box.tag
    }
}
