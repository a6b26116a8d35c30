import Crypto
import KasiaProtocol
import Kaspa

/// A group message as it is written: who claims to have written it, what is sealed, and the signature.
struct GroupEnvelope {
    let fields: GroupFields
    private let ciphertext: [UInt8]
    private let signature: [UInt8]

    /// Reads the seven fields of a body; nil for anything else.
    init?(_ body: [UInt8]) {
        // The grammar reads whole payloads.
        guard case .operation(let parsed) = PayloadGrammar.classify(Array("kchat:1:gcomm:".utf8) + body),
            let fields = parsed.group
        else { return nil }
        // It has checked that there are seven, and that these two are hex.
        let parts = body.split(separator: UInt8(ascii: ":"))
        guard parts.count == 7, let ciphertext = Hex.decode(parts[5]), let signature = Hex.decode(parts[6]) else {
            return nil
        }
        self.fields = fields
        self.ciphertext = ciphertext
        self.signature = signature
    }

    /// Whether its writer has signed it for this group.
    ///
    /// Kasia signs the SHA-256 of the additional data and the ciphertext, KaChat the bytes themselves. Neither can be
    /// taken for the other, as the bytes are never as short as a hash.
    func isSigned(for group: GroupKeys, curve: any Secp256k1Curve) -> Bool {
        let signed = additionalData(group) + ciphertext
        return [Array(SHA256.hash(data: signed)), signed].contains { message in
            curve.isValid(signature: signature, message: message, publicKey: fields.senderPublicKey)
        }
    }

    /// What was sealed with the epoch's root; nil when it was altered, or sealed with another.
    func open(_ group: GroupKeys, root: [UInt8]) -> [UInt8]? {
        let tagStart = ciphertext.count - SealedEnvelope.tagBytes
        guard tagStart >= 0 else { return nil }
        let salt = group.salt(fields.epoch)
        let key = KeyDerivation.key(from: root, salt: salt, info: info("kasia:gcomm:key"))
        let nonceKey = KeyDerivation.bytes(from: root, salt: salt, info: info("kasia:gcomm:nonce"))
        let nonce = KeyDerivation.bytes(
            from: nonceKey, salt: fields.messageID, info: Array("kasia:gcomm:nonce".utf8),
            count: SealedEnvelope.nonceBytes)
        return SealedEnvelope.open(
            nonce: nonce[...], ciphertext: ciphertext[..<tagStart], tag: ciphertext[tagStart...], key: key,
            additionalData: additionalData(group))
    }

    private func info(_ label: String) -> [UInt8] { Array(label.utf8) + fields.senderID }

    /// What is not sealed, but protected with it.
    private func additionalData(_ group: GroupKeys) -> [UInt8] {
        [1] + Array("gcomm".utf8) + group.salt(fields.epoch) + fields.senderID + fields.messageID
    }
}
