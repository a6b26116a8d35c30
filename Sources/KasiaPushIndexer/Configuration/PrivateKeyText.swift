/// The text of a private key in PEM form.
enum PrivateKeyText {
    /// The lines without blanks around them, and with `\n` turned into line feeds.
    ///
    /// nil if the text is longer than `limit` bytes, or its first and last line are not those of one of `frames`, such as
    /// `PRIVATE KEY`. What is between them is not looked at.
    static func normalized(_ text: String, frames: [String], limit: Int) -> Secret? {
        let lines = lines(of: text)
            .map { $0.filter { !$0.isWhitespace || $0 == " " } }
            .filter { !$0.allSatisfy(\.isWhitespace) }
        let isFramed = frames.contains { lines.first == "-----BEGIN \($0)-----" && lines.last == "-----END \($0)-----" }
        guard text.utf8.count <= limit, lines.count >= 3, isFramed else { return nil }
        return Secret(lines.joined(separator: "\n") + "\n")
    }

    /// Whether there is a line between the first and the last.
    static func hasContent(_ text: String) -> Bool { lines(of: text).count >= 3 }

    private static func lines(of text: String) -> [Substring] {
        text.replacing("\\n", with: "\n").split(whereSeparator: \.isNewline)
    }
}
