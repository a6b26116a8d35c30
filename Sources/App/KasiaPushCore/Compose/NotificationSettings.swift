/// What the user wants to see; per-contact muting is in `Contact`.
public struct NotificationSettings: Hashable, Sendable {
    /// The user's own addresses, in lower case: what they send is not shown.
    public var ownAddresses: Set<String>
    /// Whether messages' texts and memos are shown, or only that there is one.
    public var showsText = true
    /// Whether the text of a stranger's first message is shown, too.
    public var showsTextOfStrangers = true
    /// Whether notifications make a sound.
    public var hasSound = true
    /// Groups that are not shown, by their ids in 64 hex digits.
    ///
    /// A message that cannot be opened names only the id that its writer has blinded: see
    /// `GroupKeys.blindedID(ofMember:)`.
    public var mutedGroups: Set<String> = []
    /// Channels whose broadcasts are not shown.
    public var mutedChannels: Set<String> = []
    /// How many messages are unread without this one; nil: the badge is left alone.
    public var unreadCount: Int?

    /// Shows everything, with sound, but for what these addresses send.
    public init(ownAddresses: Set<String>) { self.ownAddresses = ownAddresses }
}
