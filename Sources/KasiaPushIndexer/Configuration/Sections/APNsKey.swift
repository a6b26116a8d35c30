import APNs

/// Apple's signing key, the contents of a .p8 file.
struct APNsKey: Sendable, Equatable {
    /// The largest key, in bytes.
    ///
    /// A .p8 file has some 250.
    static let maximumBytes = 65_536

    /// The PEM text.
    let pem: Secret
    /// The file that it came from; nil if it was given as text.
    let path: String?

    /// The PEM text with `\n` turned into line feeds; nil if it is not a private key in PEM form.
    ///
    /// The curve is checked when the key is used.
    static func pem(_ text: String) -> Secret? {
        PrivateKeyText.normalized(text, frames: ["PRIVATE KEY"], limit: maximumBytes)
    }

    /// The mistake in a text that `pem` refuses.
    @Sendable private static func complaint(_ text: String) -> String {
        if text.utf8.count > maximumBytes { return "the APNs key is larger than \(maximumBytes) bytes" }
        if let complaint = ProviderTokenSource.complaint(aboutKey: text) { return complaint }
        if text.contains("EC PRIVATE KEY-----") {
            return "the APNs key is in the form EC PRIVATE KEY; the .p8 file as Apple gave it is needed"
        }
        return PrivateKeyText.hasContent(text)
            ? "the APNs key has something before its first or behind its last line"
            : "the APNs key has nothing between its first and its last line, or no line breaks"
    }

    static func read(from reader: inout SettingsReader) -> APNsKey? {
        reader.credential(
            file: (.apnsKeyPath, "a file that can be read, with a private key in PEM form (Apple's .p8)"),
            text: (.apnsKey, "the text of Apple's .p8 file: a private key in PEM form, \\n for line breaks"),
            limit: maximumBytes, complaint: complaint, parse: pem
        ).map { APNsKey(pem: $0.text, path: $0.path) }
    }
}
