/// What the app took, to be confirmed when it has handled it.
public struct TakenMessages: Hashable, Sendable {
    /// In the order in which they came.
    public let messages: [PendingMessage]
    /// How many messages were dropped unseen because newer ones came, since this number was last confirmed.
    ///
    /// When it is not 0, the app asks the service for what it lacks, then confirms the number.
    public let dropped: Int
}
