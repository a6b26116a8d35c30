import Logging

/// What of a log line may stand on the status page: its constant words, and of its metadata numbers and words under names
/// that are known.
///
/// Everything else could hold a device token, an address, a transaction or somebody's network address, in a text of
/// ours or of a library: it is left to the log.
enum EventFilter {
    static let withheld = "a message that is only in the log"
    private static let maximumBytes = 120
    /// Metadata whose value is shown if it is a number, with its unit or without.
    private static let numbers: Set = [
        "api.count", "apns.in_flight", "apns.retry_after", "behind", "blocks", "curl.code", "curl.multi_code",
        "daa_score", "daa_scores_per_second", "entries", "from_daa_score", "given_up", "limit", "log.held_back",
        "pause_ms", "pushed_without", "retry.after", "reverted", "seconds_left", "suppressed", "to_daa_score",
        "trouble.seconds", "virtual_chain.changes", "window",
    ]
    /// Metadata whose value is shown if it is one plain word.
    private static let words: Set = ["api.call", "apns.failure", "network", "node.error_code", "reason"]

    /// A message without anything variable, else a sentence that says so.
    static func message(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && text.utf8.count <= maximumBytes
            && text.split(separator: " ").allSatisfy { isWord($0, punctuation: "._-,;'()") }
        return isPlain ? text : withheld
    }

    /// What may be shown of a line's metadata, sorted by key.
    static func metadata(_ metadata: Logger.Metadata) -> [(key: String, value: String)] {
        metadata.sorted { $0.key < $1.key }.compactMap { key, value in
            let text = value.description
            let isShown = numbers.contains(key) && isNumber(text) || words.contains(key) && isWord(text[...])
            return isShown ? (key, text) : nil
        }
    }

    /// Starts with a letter, is short, and has no more than three digits in a row nor more than six in all.
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

    /// Digits, perhaps with a fraction and ` seconds` behind them.
    private static func isNumber(_ text: String) -> Bool {
        var digits = text[...]
        if digits.hasSuffix(" seconds") { digits = digits.dropLast(" seconds".count) }
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        return (1...2).contains(parts.count)
            && parts.allSatisfy { part in (1...20).contains(part.utf8.count) && part.utf8.allSatisfy(isDigit) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
