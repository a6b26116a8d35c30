/// Why bytes are no push; whoever sent them is at fault.
public enum PushPayloadError: Error, Equatable, Sendable {
    /// Longer than any carrier's push, and not parsed: more than 16,384 bytes.
    case tooLong
    /// No JSON object, or one with two members of one name.
    case notJSON
}

extension PushPayloadError: CustomStringConvertible {
    /// What is wrong, in a sentence.
    public var description: String {
        switch self {
        case .tooLong: "The push is longer than any carrier's."
        case .notJSON: "The push is no JSON object."
        }
    }
}
