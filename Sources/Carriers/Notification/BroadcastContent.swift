import JSON
package import KasiaProtocol

/// What a notification shows of a broadcast: its channel, and a preview of its content.
///
/// Every byte of it was written by a stranger. Reading one takes time proportional to its length, however it is nested.
package struct BroadcastContent: Equatable, Sendable {
    /// The channel's name, normalised.
    package let channel: String
    /// What a notification shows of it, at most `maximumPreviewCharacters` and `maximumPreviewBytes` long.
    package let preview: String

    /// The longest preview, in characters.
    package static let maximumPreviewCharacters = 150
    /// The longest preview in bytes, as JSON writes it: with it a notification still fits, whatever the channel.
    package static let maximumPreviewBytes = 3_000

    /// Reads a broadcast of this payload; nil when it is another operation, or its channel's name is not valid.
    package init?(_ parsed: ParsedPayload, payload: [UInt8]) {
        guard parsed.kind == .broadcast, let channel = parsed.channelName else { return nil }
        self.channel = channel
        let content = payload[parsed.body]
        let limit = BroadcastContent.maximumPreviewBytes + 4
        switch parsed.form {
        case .file: preview = "Voice message"
        case .reply:
            let text = JSONTexts(of: content, names: ["text"])?.bytes("text", limit: limit)
            preview = BroadcastContent.cut(text.map { $0[...] } ?? content.prefix(limit))
        case .text, .reaction, .edit, nil: preview = BroadcastContent.cut(content.prefix(limit))
        }
    }

    /// The longest text within the limits that `bytes` begin with; what is not UTF-8 is replaced.
    ///
    /// The caller gives a few bytes more than the limit, so that no character is taken for half a one at their end.
    private static func cut(_ bytes: ArraySlice<UInt8>) -> String {
        var length = 0
        var scalars = String.UnicodeScalarView()
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            length += JSONWriter.width(of: scalar)
            guard length <= maximumPreviewBytes else { break }
            scalars.append(scalar)
        }
        return String(String(scalars).prefix(maximumPreviewCharacters))
    }
}
