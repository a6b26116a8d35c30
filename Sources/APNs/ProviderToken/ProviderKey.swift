import Crypto
import JWTKit

/// The P-256 key of a `.p8` file, and what identifies it without revealing it.
struct ProviderKey: Sendable {
    let signingKey: ES256PrivateKey
    /// SHA-256 of the public key, 64 hex digits.
    let fingerprint: String

    /// Reads PEM text whose line breaks may be written as `\n`.
    ///
    /// Errors name what the text holds instead of a private key, and never repeat it.
    init(pem text: String) throws(ProviderTokenError) {
        let pem = text.replacing("\\n", with: "\n")
        if let complaint = Self.complaint(about: pem) {
            throw ProviderTokenError(code: .invalidKey, description: complaint)
        }
        do {
            let key = try P256.Signing.PrivateKey(pemRepresentation: pem)
            signingKey = try ES256PrivateKey(backing: key)
            let digest = SHA256.hash(data: key.publicKey.x963Representation)
            fingerprint = digest.map { byte in
                let hex = String(byte, radix: 16)
                return byte < 16 ? "0" + hex : hex
            }.joined()
        } catch {
            // The library's own error is left out: it may quote what it could not read.
            throw ProviderTokenError(
                code: .invalidKey,
                description: "the APNs key's PEM does not hold a P-256 private key, or is damaged")
        }
    }

    /// What is wrong with PEM text as far as its frame tells; nil when the frame is a private key's.
    private static func complaint(about pem: String) -> String? {
        guard pem.contains(where: { !$0.isWhitespace }) else { return "the APNs key is empty" }
        guard let begin = pem.firstRange(of: "-----BEGIN ") else {
            return "the APNs key is not PEM text: it has no line -----BEGIN PRIVATE KEY-----"
        }
        let label = pem[begin.upperBound...].prefix(40).prefix { $0 != "-" && !$0.isNewline }
        switch label {
        case "PRIVATE KEY", "EC PRIVATE KEY": break
        case "ENCRYPTED PRIVATE KEY": return "the APNs key is encrypted; a .p8 file from Apple is not"
        case "PUBLIC KEY": return "the APNs key is a public key; the private one is needed"
        case "CERTIFICATE": return "the APNs key is a certificate; the .p8 file's private key is needed"
        case "RSA PRIVATE KEY": return "the APNs key is an RSA key; Apple's are P-256"
        default: return "the APNs key's PEM does not begin with -----BEGIN PRIVATE KEY-----"
        }
        return pem.contains("-----END \(label)-----")
            ? nil : "the APNs key is cut short: it has no line -----END \(label)-----"
    }
}
