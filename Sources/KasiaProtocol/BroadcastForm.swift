internal import JSON

/// What a broadcast's content is (apps-in-the-field.md, section 4): plain text, or what the member `type` of its JSON
/// says.
///
/// The raw value is what the store writes.
public enum BroadcastForm: UInt8, CaseIterable, Sendable {
    case text = 0
    /// An answer to another message; its own words stand in the member `text`.
    case reply = 1
    /// A voice message.
    case file = 2
    /// A sign put to another message.
    case reaction = 3
    /// Another message's new text.
    case edit = 4

    /// Longer content is shown as text, whatever it is: no larger transaction is relayed.
    public static let maximumJSONBytes = 100_000

    /// Whether it is news: a reaction or an edit is about a message that was news itself.
    public var isNews: Bool {
        switch self {
        case .text, .reply, .file: true
        case .reaction, .edit: false
        }
    }

    /// The form of this content; it takes time proportional to its length, however it is nested.
    public init(of content: ArraySlice<UInt8>) {
        self = .text
        guard content.count <= Self.maximumJSONBytes,
            let type = JSONTexts(of: content, names: ["type"])?.written("type")
        else { return }
        let forms: [(name: StaticString, form: BroadcastForm)] = [
            ("reply", .reply), ("file", .file), ("reaction", .reaction), ("edit", .edit),
        ]
        for (name, form) in forms where name.withUTF8Buffer({ type.elementsEqual($0) }) { self = form }
    }
}
