import Crypto
import Foundation
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
        // Of a key of another curve the library would take the number alone.
        if let kind = Self.otherKind(pem) {
            throw ProviderTokenError(
                code: .invalidKey, description: "the APNs key is \(kind); Apple's are P-256")
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

    /// Object identifiers, as DER has them, of what else a private key may be (RFC 5480, 8017, 8410; SEC 2).
    private static let otherKinds: [(identifier: [UInt8], name: String)] = [
        ([0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22], "of the curve P-384"),
        ([0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x23], "of the curve P-521"),
        ([0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x0A], "of the curve secp256k1"),
        ([0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01], "an RSA key"),
        ([0x06, 0x03, 0x2B, 0x65, 0x70], "an Ed25519 key"),
    ]

    /// What a private key of another curve or kind is; nil for what is not known as one.
    private static func otherKind(_ pem: String) -> String? {
        let body = pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }.joined()
        guard let der = Data(base64Encoded: body, options: .ignoreUnknownCharacters) else { return nil }
        // The identifiers stand before the key itself.
        let head = Array(der.prefix(40))
        return otherKinds.first { head.firstRange(of: $0.identifier) != nil }?.name
    }

    /// What is wrong with PEM text as far as its frame tells; nil when the frame is a private key's.
    static func complaint(about pem: String) -> String? {
        guard pem.contains(where: { !$0.isWhitespace }) else { return "the APNs key is empty" }
        guard let begin = pem.firstRange(of: "-----BEGIN ") else {
            return "the APNs key is not PEM text: it has no line -----BEGIN PRIVATE KEY-----"
        }
        let label = pem[begin.upperBound...].prefix(40).prefix { $0 != "-" && !$0.isNewline }
        switch label {
        case "PRIVATE KEY", "EC PRIVATE KEY": break
        case "EC PARAMETERS": return "the APNs key begins with EC PARAMETERS; the .p8 file as Apple gave it is needed"
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

extension ProviderTokenSource {
    /// What is wrong with the text of a key as far as its frame tells, without repeating it; nil for a private key's
    /// frame, whatever is in it.
    public static func complaint(aboutKey text: String) -> String? {
        ProviderKey.complaint(about: text.replacing("\\n", with: "\n"))
    }
}
