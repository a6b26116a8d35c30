/// What a text holds that should have been PEM with something else.
enum PEMText {
    private static let contents = [
        ("ENCRYPTED PRIVATE KEY-----", "it holds a private key that is encrypted"),
        ("PRIVATE KEY-----", "it holds a private key"), ("CERTIFICATE-----", "it holds a certificate"),
        ("PUBLIC KEY-----", "it holds a public key"), ("-----BEGIN ", "it holds something else"),
    ]

    /// A sentence that repeats nothing of the text.
    static func content(of text: String) -> String {
        contents.first { text.contains($0.0) }?.1 ?? "it is not PEM text: it has no line -----BEGIN …-----"
    }
}
