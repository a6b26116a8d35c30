/// What an item of activity is; a newer service may have others.
public struct ActivityType: RawRepresentable, Hashable, Sendable, Codable {
    /// The name as it is sent.
    public let rawValue: String

    /// Takes any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A handshake.
    public static let handshake = ActivityType(rawValue: "handshake")
    /// A payment.
    public static let payment = ActivityType(rawValue: "payment")
    /// A message of a conversation.
    public static let contextualMessage = ActivityType(rawValue: "contextual_message")
    /// A note to oneself.
    public static let selfStash = ActivityType(rawValue: "self_stash")
    /// A message of a group.
    public static let groupMessage = ActivityType(rawValue: "group_message")
    /// A control message of a group.
    public static let groupControl = ActivityType(rawValue: "group_control")
    /// A broadcast of a channel.
    public static let broadcast = ActivityType(rawValue: "broadcast")
    /// A plain transfer, known from when some device began to watch the address.
    public static let transfer = ActivityType(rawValue: "transfer")
}
