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
        let lines = text.replacing("\\n", with: "\n").split(whereSeparator: \.isNewline)
            .map { $0.filter { !$0.isWhitespace || $0 == " " } }
            .filter { !$0.allSatisfy(\.isWhitespace) }
        guard text.utf8.count <= maximumBytes, lines.count >= 3, lines.first == "-----BEGIN PRIVATE KEY-----",
            lines.last == "-----END PRIVATE KEY-----"
        else { return nil }
        return Secret(lines.joined(separator: "\n") + "\n")
    }

    /// The mistake in a text that `pem` refuses.
    @Sendable private static func complaint(_ text: String) -> String {
        if text.utf8.count > maximumBytes { return "the APNs key is larger than \(maximumBytes) bytes" }
        if let complaint = ProviderTokenSource.complaint(aboutKey: text) { return complaint }
        if text.contains("EC PRIVATE KEY-----") {
            return "the APNs key is in the form EC PRIVATE KEY; the .p8 file as Apple gave it is needed"
        }
        let lines = text.replacing("\\n", with: "\n").split(whereSeparator: \.isNewline)
        return lines.count < 3
            ? "the APNs key has nothing between its first and its last line, or no line breaks"
            : "the APNs key has something before its first or behind its last line"
    }

    static func read(from reader: inout SettingsReader) -> APNsKey? {
        if reader.isSet(.apnsKeyPath), reader.isSet(.apnsKey) {
            reader.report(.apnsKeyPath, "apns.key_path and apns.key are both set; allowed: one of them")
            return nil
        }
        var fromFile: APNsKey?
        var fromText: APNsKey?
        reader.update(
            &fromFile, from: .apnsKeyPath,
            as: SettingRule(
                allowed: "a file that can be read, with a private key in PEM form (Apple's .p8)",
                complaint: { path in
                    do {
                        return complaint(try SmallFile.text(at: path, limit: maximumBytes))
                    } catch {
                        return "\(error)"
                    }
                },
                parse: { path in
                    guard let text = try? SmallFile.text(at: path, limit: maximumBytes) else { return nil }
                    return pem(text).map { APNsKey(pem: $0, path: path) }
                }))
        reader.update(
            &fromText, from: .apnsKey,
            as: SettingRule(
                allowed: "the text of Apple's .p8 file: a private key in PEM form, \\n for line breaks",
                complaint: complaint, parse: { pem($0).map { APNsKey(pem: $0, path: nil) } }))
        return fromFile ?? fromText
    }
}

/// A text that logs, errors and dumps do not show.
struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text that is shown instead.
    static let mask = "***"

    /// The text itself, for the one place that needs it.
    let revealed: String

    init(_ text: String) {
        revealed = text
    }

    var description: String { Self.mask }
    var debugDescription: String { Self.mask }
    var customMirror: Mirror { Mirror(self, children: []) }
}
