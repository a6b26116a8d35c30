import JWTKit

extension ServiceAccount {
    /// Reads a private key in PEM, whose line breaks may be written as `\n`.
    ///
    /// Errors name what the text holds instead, and never repeat it.
    static func key(pem text: String) throws(ServiceAccountError) -> Insecure.RSA.PrivateKey {
        let pem = text.replacing("\\n", with: "\n")
        if let complaint = complaint(about: pem) {
            throw ServiceAccountError(member: "private_key", description: "the member private_key \(complaint)")
        }
        do {
            return try Insecure.RSA.PrivateKey(pem: pem)
        } catch {
            // The library's own error is left out: it may quote what it could not read.
            throw ServiceAccountError(
                member: "private_key",
                description: "the member private_key holds no RSA key of at least 2,048 bits, or is damaged")
        }
    }

    /// What is wrong with PEM text as far as its frame tells; nil when the frame is a private key's.
    private static func complaint(about pem: String) -> String? {
        guard let begin = pem.firstRange(of: "-----BEGIN ") else {
            return "is not PEM text: it has no line -----BEGIN PRIVATE KEY-----"
        }
        let label = pem[begin.upperBound...].prefix(40).prefix { $0 != "-" && !$0.isNewline }
        switch label {
        case "PRIVATE KEY", "RSA PRIVATE KEY": break
        case "ENCRYPTED PRIVATE KEY": return "is encrypted; Google's are not"
        case "EC PRIVATE KEY", "EC PARAMETERS": return "is a key of an elliptic curve; Google's are RSA keys"
        case "PUBLIC KEY", "RSA PUBLIC KEY": return "is a public key; the private one is needed"
        case "CERTIFICATE": return "is a certificate; the private key is needed"
        default: return "does not begin with -----BEGIN PRIVATE KEY-----"
        }
        return pem.contains("-----END \(label)-----")
            ? nil : "is cut short: it has no line -----END \(label)-----"
    }
}
