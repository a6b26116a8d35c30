import Crypto

/// The service's own signature over a push, which shows that no carrier made it up.
public enum PushSignature {
    /// Whether the push has a signature of this service for this device.
    ///
    /// - Parameters:
    ///   - payload: The push. Calls, and what names no transaction, have no signature.
    ///   - token: The device's token.
    ///   - publicKey: The service's Ed25519 key, 32 bytes.
    /// - Returns: False without a signature, and for a key or signature of another length, too.
    public static func verify(_ payload: PushPayload, token: PushToken, publicKey: [UInt8]) -> Bool {
        guard let details = payload.details, let text = details.signature,
            let signature = Base64.decode(text.utf8), signature.count == signatureBytes,
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey)
        else { return false }
        return key.isValidSignature(signature, for: Array(signedText(details, token: token).utf8))
    }

    private static let signatureBytes = 64

    /// The lines that the service signs.
    package static func signedText(_ details: PushDetails, token: PushToken) -> String {
        [
            "domain=kasia-push:v1",
            "tx_id=\(details.transactionID)",
            "type=\(details.type)",
            "sender=\(details.sender ?? "")",
            "seq=\(details.seq.map { String($0) } ?? "")",
            "device_token_hash=\(token.hash)",
        ].joined(separator: "\n")
    }
}
