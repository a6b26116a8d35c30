internal import JSON

/// The form of a broadcast's content: plain text, or what the member `type` of its JSON says.
///
/// The raw value is what the store writes.
public enum BroadcastForm: UInt8, CaseIterable, Sendable {
    case text = 0
    /// An answer to another message, with its text in the member `text`.
    case reply = 1
    /// A voice message.
    case file = 2
    /// A reaction to another message.
    case reaction = 3
    /// Another message's new text.
    case edit = 4

    /// The longest content that is parsed as JSON.
    ///
    /// No larger transaction is relayed; longer content counts as text.
    public static let maximumJSONBytes = 100_000

    /// Whether it is pushed.
    ///
    /// A reaction or an edit is about a message that was pushed itself.
    public var isNews: Bool {
        switch self {
        case .text, .reply, .file: true
        case .reaction, .edit: false
        }
    }

    /// The form of this content.
    ///
    /// It takes time proportional to the length, however deep the JSON is nested.
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
