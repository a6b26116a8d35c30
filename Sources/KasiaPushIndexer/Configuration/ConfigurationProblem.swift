import API
import JSON

/// One mistake in the configuration, said in one line.
struct ConfigurationProblem: Sendable, Hashable, CustomStringConvertible {
    /// Longer values are cut in a message, to this many characters.
    static let maximumValueLength = 120

    /// What the line is about: the key and where its value comes from, or a file.
    let subject: String
    /// What is wrong and what is allowed.
    let text: String

    /// A problem of a file as a whole or of something in it.
    init(subject: String, text: String) {
        self.subject = Self.oneLine(subject)
        self.text = text
    }

    /// A value that is not allowed.
    ///
    /// - Parameters:
    ///   - key: The key; its value is masked if it is secret.
    ///   - origin: Where the value comes from.
    ///   - value: The value as it was given.
    ///   - allowed: What would be allowed.
    ///   - complaint: What is wrong with it, if more can be said; it does not repeat the value.
    init(
        _ key: ConfigurationKey, from origin: SettingOrigin, value: String, allowed: String, complaint: String? = nil
    ) {
        let shown: String
        if key.isSecret {
            shown = Secret.mask
        } else if key == .storeURL {
            // A password may be anywhere in it.
            shown = "a URL, not shown,"
        } else if Self.looksLikeKey(value, of: key) {
            shown = "a value that looks like a key, not shown,"
        } else {
            shown = "\"\(Self.oneLine(Self.withoutPassword(value)))\""
        }
        let reason = complaint.map { ": \(Self.oneLine($0))" } ?? ""
        self.init(subject: "\(key.rawValue) (\(origin))", text: "\(shown) is not allowed\(reason); allowed: \(allowed)")
    }

    var description: String { "\(subject): \(text)" }

    /// Control characters escaped, so that a value cannot make a second line; cut to a length that a line can bear.
    static func oneLine(_ text: String) -> String {
        let cut = text.count > maximumValueLength ? text.prefix(maximumValueLength) + "…" : text[...]
        return String(JSONText.quoted(String(cut)).dropFirst().dropLast())
    }

    /// Whether the value may be the text of a key that was put where a path, or something else, belongs.
    ///
    /// Of a P-256 key the first 120 characters hold all that is secret.
    private static func looksLikeKey(_ value: String, of key: ConfigurationKey) -> Bool {
        if value.contains("-----BEGIN") || value.contains("\\n") || value.contains(where: \.isNewline) { return true }
        guard key.isPath else { return false }
        // A password has no form of its own.
        if key == .storePasswordPath, !value.contains("/") { return true }
        // The longest name of a file; and the middle of a key, copied without its first and last line.
        return value.utf8.count > 255 || (value.utf8.count >= 64 && value.utf8.allSatisfy(\.isBase64Byte))
    }

    /// A URL refused for its user name must not put the password into the log.
    private static func withoutPassword(_ value: String) -> String {
        guard let at = value.lastIndex(of: "@") else { return value }
        let start = value.firstRange(of: "://")?.upperBound ?? value.startIndex
        return start <= at ? value[..<start] + Secret.mask + value[at...] : value
    }
}

extension UInt8 {
    /// A letter or digit of base64, or its filling.
    fileprivate var isBase64Byte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): true
        default: false
        }
    }
}

/// All mistakes of a configuration.
///
/// They prevent the start.
struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// At least one.
    ///
    /// Those of the file come first, then those of keys in the order of config/indexer.yaml.
    let problems: [ConfigurationProblem]

    /// One line for each mistake.
    var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
