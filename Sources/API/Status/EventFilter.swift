import Logging

/// Selects the parts of a log line that the status page may show: its constant message, and numbers and words of known
/// metadata keys.
///
/// Everything else could contain a device token, an address, a transaction or a network address, and stays in the log.
enum EventFilter {
    static let withheld = "a message that is only in the log"
    private static let maximumBytes = 120
    /// Metadata keys whose value is shown if it is a number, with or without a unit.
    private static let numbers: Set = [
        "api.count", "apns.in_flight", "apns.retry_after", "behind", "blocks", "curl.code", "curl.multi_code",
        "daa_score", "daa_scores_per_second", "entries", "from_daa_score", "given_up", "limit", "log.held_back",
        "pause_ms", "pushed_without", "retry.after", "reverted", "seconds_left", "suppressed", "to_daa_score",
        "trouble.seconds", "virtual_chain.changes", "window",
    ]
    /// Metadata keys whose value is shown if it is one plain word.
    private static let words: Set = ["api.call", "apns.failure", "network", "node.error_code", "reason"]

    /// The message if it is constant, else a sentence that refers to the log.
    static func message(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && text.utf8.count <= maximumBytes
            && text.split(separator: " ").allSatisfy { isWord($0, punctuation: "._-,;'()") }
        return isPlain ? text : withheld
    }

    /// The metadata that may be shown, sorted by key.
    static func metadata(_ metadata: Logger.Metadata) -> [(key: String, value: String)] {
        metadata.sorted { $0.key < $1.key }.compactMap { key, value in
            let text = value.description
            let isShown = numbers.contains(key) && isNumber(text) || words.contains(key) && isWord(text[...])
            return isShown ? (key, text) : nil
        }
    }

    /// Whether the text starts with a letter, is short, and has at most three digits in a row and six in all.
    private static func isWord(_ text: Substring, punctuation: String = "._-") -> Bool {
        var (row, digits) = (0, 0)
        for scalar in text.unicodeScalars {
            let isDigit = ("0"..."9").contains(scalar)
            row = isDigit ? row + 1 : 0
            digits += isDigit ? 1 : 0
            let isLetter = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
            guard isDigit || isLetter || punctuation.unicodeScalars.contains(scalar), row <= 3, digits <= 6 else {
                return false
            }
        }
        guard let first = text.unicodeScalars.first else { return false }
        return text.utf8.count <= 40 && !("0"..."9").contains(first)
    }

    /// Whether the text is a number, perhaps with a fraction and ` seconds` after it.
    private static func isNumber(_ text: String) -> Bool {
        var digits = text[...]
        if digits.hasSuffix(" seconds") { digits = digits.dropLast(" seconds".count) }
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        return (1...2).contains(parts.count)
            && parts.allSatisfy { part in (1...20).contains(part.utf8.count) && part.utf8.allSatisfy(isDigit) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
