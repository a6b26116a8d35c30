import FoundationEssentials

/// The frame of a private key's PEM (RFC 7468).
package enum PrivateKeyPEM {
    /// The DER between the lines of a key with one of these labels; nil if there is none.
    ///
    /// `\n` may stand for a line break.
    package static func body(of text: String, labels: [String]) -> [UInt8]? {
        let pem = text.replacing("\\n", with: "\n")
        for label in labels {
            guard let begin = pem.firstRange(of: "-----BEGIN \(label)-----"),
                let end = pem[begin.upperBound...].firstRange(of: "-----END \(label)-----")
            else { continue }
            let text = pem[begin.upperBound..<end.lowerBound].filter { !$0.isWhitespace }
            return Data(base64Encoded: text).map(Array.init)
        }
        return nil
    }
}
