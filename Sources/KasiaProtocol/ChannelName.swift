import JSON

/// A channel's name in the form in which names are compared: trimmed and in lower case.
///
/// Apps write it so. ` News ` is the same channel as `news`.
public struct ChannelName: Hashable, Sendable {
    /// The longest name, in characters.
    public static let maximumCharacters = 36

    /// The longest name in UTF-8, in bytes.
    ///
    /// A character can have any number of bytes, and a notification has a limit.
    public static let maximumBytes = 4 * maximumCharacters
    /// The longest text that is parsed, including white space around the name, in bytes.
    private static let maximumWrittenBytes = 1_024

    /// The name: not empty, without white space and colons.
    public let text: String

    /// Trims and lower-cases a name; nil if what remains is empty, longer than 36 characters or 144 bytes, or has white
    /// space or a colon inside.
    public init?(_ name: some StringProtocol) {
        guard name.utf8.count <= Self.maximumWrittenBytes else { return nil }
        let scalars = name.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return nil }
        let text = String(name[first..<scalars.index(after: last)]).lowercased()
        guard text.utf8.count <= Self.maximumBytes, text.count <= Self.maximumCharacters,
            !text.unicodeScalars.contains(where: { $0 == ":" || $0.properties.isWhitespace })
        else { return nil }
        self.text = text
    }

    /// The same of a name in UTF-8; nil for other bytes, too.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count <= Self.maximumWrittenBytes, let name = String(validUTF8: bytes) else { return nil }
        self.init(name)
    }
}
