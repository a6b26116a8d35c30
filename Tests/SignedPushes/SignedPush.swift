import Crypto
import Foundation

/// A push as an app reads it: its own members, whatever their shape is called.
package struct SignedPush {
    private let members: [String: Any]

    /// Reads a push in JSON: the member `kasia` if there is one, else the top level; nil if it is no object.
    package init?(json: some Sequence<UInt8>) {
        let object = try? JSONSerialization.jsonObject(with: Data(json))
        guard let members = object as? [String: Any] else { return nil }
        self.init(members["kasia"] as? [String: Any] ?? members)
    }

    /// Takes the members, such as those of FCM's `data`.
    package init(_ members: [String: Any]) { self.members = members }

    /// The signature's text; nil without one.
    package var signature: String? { members["sig"] as? String }

    /// Whether the signature is by `publicKey`, 32 bytes, for the device with this token: worked out from the members
    /// alone.
    package func isSigned(by publicKey: [UInt8], for token: String) -> Bool {
        guard let signature = signature.flatMap({ Data(base64Encoded: $0) }),
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey)
        else { return false }
        return key.isValidSignature(signature, for: Data(text(for: token).utf8))
    }

    /// The text that is signed.
    package func text(for token: String) -> String {
        func text(_ names: String...) -> String {
            for name in names {
                if let text = members[name] as? String { return text }
                if let number = members[name] as? NSNumber { return number.stringValue }
            }
            return ""
        }
        let hash = SHA256.hash(data: Data(token.utf8)).map { String(format: "%02x", $0) }.joined()
        return """
            domain=kasia-push:v1
            tx_id=\(text("tx_id", "txId", "call_id"))
            type=\(text("type", "kind"))
            sender=\(text("sender"))
            seq=\(text("seq"))
            device_token_hash=\(hash)
            """
    }
}
