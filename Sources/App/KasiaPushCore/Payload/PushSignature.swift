import Crypto

/// The service's own signature over a push, which shows that no carrier made it up.
public enum PushSignature {
    /// Whether the push has a signature of this service for this device.
    ///
    /// - Parameters:
    ///   - payload: The push. What names neither a transaction nor a call has no signature.
    ///   - token: The device's token; of a call PushKit's.
    ///   - publicKey: The service's Ed25519 key, 32 bytes.
    /// - Returns: False without a signature, and for a key or signature of another length, too.
    public static func verify(_ payload: PushPayload, token: PushToken, publicKey: [UInt8]) -> Bool {
        guard let signed = signed(payload), let signature = Base64.decode(signed.signature.utf8),
            signature.count == signatureBytes,
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey)
        else { return false }
        let text = (["domain=kasia-push:v1"] + signed.lines + ["device_token_hash=\(token.hash)"])
            .joined(separator: "\n")
        return key.isValidSignature(signature, for: Array(text.utf8))
    }

    private static let signatureBytes = 64

    /// The lines about the push that the service signs, and the signature.
    private static func signed(_ payload: PushPayload) -> (lines: [String], signature: String)? {
        func lines(_ id: String, _ type: String, _ sender: String?, _ seq: UInt64?) -> [String] {
            ["tx_id=\(id)", "type=\(type)", "sender=\(sender ?? "")", "seq=\(seq.map { String($0) } ?? "")"]
        }
        if case .call(let call) = payload {
            return call.signature.map { (lines(call.callID, call.kind.rawValue, call.sender, nil), $0) }
        }
        guard let details = payload.details, let signature = details.signature else { return nil }
        return (lines(details.transactionID, details.type, details.sender, details.seq), signature)
    }
}
