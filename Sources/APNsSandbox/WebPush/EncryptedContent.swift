import Crypto
import FoundationEssentials

/// A message's body in the content encoding `aes128gcm` (RFC 8188), as RFC 8291 has it for Web Push: one record.
struct EncryptedContent {
    /// The bytes before the record: salt, record size, the length of the key and the key.
    static let headerSize = 16 + 4 + 1 + keySize
    /// An uncompressed point of P-256.
    private static let keySize = 65
    private static let tagSize = 16
    /// The delimiter after the content.
    private static let lastRecord: UInt8 = 2

    private let salt: [UInt8]
    private let senderKey: P256.KeyAgreement.PublicKey
    private let record: [UInt8]

    /// Reads a body; nil if it has no valid header, or not exactly one record.
    init?(_ body: [UInt8]) {
        guard body.count > Self.headerSize + Self.tagSize, Int(body[20]) == Self.keySize,
            let key = try? P256.KeyAgreement.PublicKey(x963Representation: body[21..<Self.headerSize])
        else { return nil }
        let recordSize = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        record = Array(body[Self.headerSize...])
        guard recordSize > Self.tagSize + 1, record.count <= recordSize else { return nil }
        salt = Array(body[..<16])
        senderKey = key
    }

    /// The plain text; nil if it was not encrypted for this subscription.
    func decrypted(for subscription: Subscriptions.Known) -> [UInt8]? {
        guard let shared = try? subscription.key.sharedSecretFromKeyAgreement(with: senderKey) else { return nil }
        let keyInfo =
            Data("WebPush: info\0".utf8) + subscription.key.publicKey.x963Representation
            + senderKey.x963Representation
        let input = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: subscription.auth, sharedInfo: keyInfo, outputByteCount: 32)
        let key = derive(from: input, "Content-Encoding: aes128gcm\0", bytes: 16)
        let nonce = derive(from: input, "Content-Encoding: nonce\0", bytes: 12)
        let box = try? AES.GCM.SealedBox(
            nonce: AES.GCM.Nonce(data: nonce.withUnsafeBytes { Data($0) }),
            ciphertext: record.dropLast(Self.tagSize), tag: record.suffix(Self.tagSize))
        guard let box, let padded = try? AES.GCM.open(box, using: key) else { return nil }
        guard let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == Self.lastRecord else { return nil }
        return Array(padded[..<end])
    }

    private func derive(from input: SymmetricKey, _ info: String, bytes: Int) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: input, salt: salt, info: Data(info.utf8), outputByteCount: bytes)
    }
}
