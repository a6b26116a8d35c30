package import KasiaProtocol

/// What a broadcast is: the channel it goes to, the form of its content, and the preview that a notification shows.
///
/// Every byte of it was written by a stranger. Reading one takes time proportional to its length, however it is nested.
package struct BroadcastContent: Equatable, Sendable {
    /// What the content is: plain text, or what the member `type` of its JSON says.
    package enum Form: Equatable, Sendable {
        case text
        /// An answer to another message; its own words stand in the member `text`.
        case reply
        /// A voice message.
        case file
        /// A sign put to another message: nobody is told of it.
        case reaction
        /// Another message's new text: nobody is told of it.
        case edit
    }

    /// The channel's name, normalised.
    package let channel: String
    /// The content's form.
    package let form: Form
    /// What a notification shows of it, at most `maximumPreviewCharacters` and `maximumPreviewBytes` long.
    package let preview: String

    /// The longest preview, in characters.
    package static let maximumPreviewCharacters = 150
    /// The longest preview in bytes, as JSON writes it: with it a notification still fits, whatever the channel.
    package static let maximumPreviewBytes = 3_000
    /// Longer content is shown as text, whatever it is: no larger transaction is relayed.
    static let maximumJSONBytes = 100_000

    /// Reads a broadcast of this payload; nil when it is another operation, or its channel's name is not valid.
    package init?(_ operation: PayloadOperation, payload: [UInt8]) {
        guard operation.kind == .broadcast,
            let channel = operation.channel.flatMap({ ChannelName(bytes: payload[$0])?.text })
        else { return nil }
        self.channel = channel
        let content = payload[operation.body]
        let json =
            content.count <= BroadcastContent.maximumJSONBytes
            ? JSONTexts(of: content, names: ["type", "text"]) : nil
        form = json?.written("type").flatMap(BroadcastContent.form) ?? .text
        let limit = BroadcastContent.maximumPreviewBytes + 4
        switch form {
        case .file: preview = "Voice message"
        case .reply:
            preview = BroadcastContent.cut(json?.bytes("text", limit: limit).map { $0[...] } ?? content.prefix(limit))
        case .text, .reaction, .edit: preview = BroadcastContent.cut(content.prefix(limit))
        }
    }

    private static func form(_ type: ArraySlice<UInt8>) -> Form? {
        let forms: [(name: StaticString, form: Form)] = [
            ("reply", .reply), ("file", .file), ("reaction", .reaction), ("edit", .edit),
        ]
        return forms.first { entry in entry.name.withUTF8Buffer { type.elementsEqual($0) } }?.form
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
