/// A message that was opened; it is private, so its description shows nothing.
public struct OpenedMessage: Hashable, Sendable, Redacted {
    /// The group that a message was written to.
    public struct Group: Hashable, Sendable {
        /// The group's own id, 64 hex digits.
        public let id: String
        /// The name, if the app gave one.
        public let name: String?
        /// The writer's address, proven by the signature.
        public let sender: String
    }

    /// What was written: text, or an app's JSON; of a payment its memo.
    public let text: String
    /// nil for a message from one person to one.
    public let group: Group?

    /// Takes a text, such as one that was opened before.
    public init(text: String) {
        self.init(text: text, group: nil)
    }

    init(text: String, group: Group?) {
        self.text = text
        self.group = group
    }
}
