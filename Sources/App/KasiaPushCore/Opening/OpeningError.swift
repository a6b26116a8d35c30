/// Why a message could not be opened.
public enum OpeningError: Error, Equatable, Sendable {
    /// The push has nothing sealed: it did not fit, or there is none in pushes of this type.
    case nothingSealed
    /// Fewer bytes than an empty message has.
    case tooShort
    /// Sealed for another key, or altered.
    case wrongKey
    /// What was sealed is not UTF-8.
    case notText
    /// A group message without its seven fields.
    case malformedGroupMessage
    /// A group message whose group is not among those given.
    case unknownGroup
    /// A group message of an epoch whose root is not known.
    case unknownEpoch
    /// A group message that names another writer than its transaction, or one who is no member.
    case wrongSender
    /// A group message that its writer has not signed.
    case wrongSignature
}

extension OpeningError: CustomStringConvertible {
    /// What is wrong, in a sentence.
    public var description: String {
        switch self {
        case .nothingSealed: "The push carries no sealed message."
        case .tooShort: "The sealed message is too short."
        case .wrongKey: "The message is sealed for another key, or was altered."
        case .notText: "The message is no text."
        case .malformedGroupMessage: "The group message has not its seven fields."
        case .unknownGroup: "The group is not known."
        case .unknownEpoch: "The group's key of that epoch is not known."
        case .wrongSender: "The writer is not whom the group message names, or no member."
        case .wrongSignature: "The writer has not signed the group message."
        }
    }
}
