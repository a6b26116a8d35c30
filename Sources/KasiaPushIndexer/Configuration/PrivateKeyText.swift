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

    /// The mistake in a text that `normalized` refuses, without repeating it; nil for one that it takes.
    ///
    /// `name` is what it should be, such as `the VAPID key`.
    static func complaint(about text: String, name: String, frames: [String], limit: Int) -> String? {
        if text.utf8.count > limit { return "\(name) is larger than \(limit) bytes" }
        if text.allSatisfy(\.isWhitespace) { return "\(name) is empty" }
        guard normalized(text, frames: frames, limit: limit) == nil else { return nil }
        return hasContent(text)
            ? "\(name) is not a private key in PEM form"
            : "\(name) has nothing between its first and its last line, or no line breaks"
    }

    /// Whether there is a line between the first and the last.
    static func hasContent(_ text: String) -> Bool { lines(of: text).count >= 3 }

    private static func lines(of text: String) -> [Substring] {
        text.replacing("\\n", with: "\n").split(whereSeparator: \.isNewline)
    }
}
