/// Which actions the phone offers below a notification, by the names that the service uses in its pushes.
public enum NotificationCategory: String, Hashable, Sendable, CaseIterable {
    /// A message, which can be answered.
    case message = "KASIA_MESSAGE"
    /// Coins.
    case payment = "KASIA_PAYMENT"
    /// A stranger.
    case contactRequest = "KASIA_CONTACT_REQUEST"
}

/// A notification as it is to be shown.
public struct ComposedNotification: Hashable, Sendable {
    /// The first line: who, or which group or channel.
    public var title: String
    /// The second line.
    public var subtitle: String?
    /// The text: at most 500 characters.
    public var body: String
    /// What the phone groups it with: an address, `group:ID`, `broadcast:CHANNEL` or `funds:ADDRESS`.
    public var threadID: String?
    /// The actions.
    public var category: String?
    /// Whether it makes the default sound.
    public var hasSound: Bool
    /// The new number on the app's icon; nil: leave it.
    public var badge: Int?
}

/// Whether a push is shown.
public enum NotificationDecision: Hashable, Sendable {
    /// It is, like this.
    case show(ComposedNotification)
    /// It is not.
    case suppress(SuppressionReason)
}

/// Why a push is not shown.
public enum SuppressionReason: String, Hashable, Sendable, CaseIterable {
    /// The user sent it, perhaps on another device.
    case own
    /// The contact is muted.
    case mutedContact
    /// The group is muted.
    case mutedGroup
    /// The channel is muted.
    case mutedChannel
    /// A reaction, which the app shows at the message that it is to.
    case reaction
    /// An edit, which the app shows in place of the message.
    case edit
    /// What apps tell each other.
    case control
    /// A call: see `NotificationComposer.compose(_:contact:now:)`.
    case call
    /// There is neither a title nor a text.
    case empty
}
