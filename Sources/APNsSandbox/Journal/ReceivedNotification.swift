public import FoundationEssentials

/// One request, and how it ended.
public struct ReceivedNotification: Sendable, Equatable {
    /// How a request ended.
    public enum Ending: String, Sendable, Codable {
        /// It was answered with `status`.
        case answered
        /// A script left it without an answer.
        case silence
        /// A script reset the stream.
        case reset
        /// A script sent half an answer.
        case halfBody = "half_body"
        /// A GOAWAY left the stream unprocessed.
        case goAway = "go_away"
        /// A script cut the connection.
        case closed
        /// The client closed the stream or the connection before the answer.
        case abandoned
    }

    /// The number of the log entry, from 1.
    public var number: Int
    /// The service that it was sent to.
    public var carrier = SandboxCarrier.apns
    /// The device token as sent, FCM's as well; of Web Push the endpoint's id.
    ///
    /// Empty for a request for an access token.
    public var token: String
    /// `apns-id`: the client's, or the one that the sandbox generated.
    ///
    /// Of FCM the message's name, empty if it was at fault; of Web Push the topic, empty if it has none.
    public var id: String
    /// `apns-collapse-id`, FCM's collapse key or the topic of Web Push: what a later notification replaces this by.
    public var collapseID: String?
    /// `apns-expiration`, UNIX seconds.
    public var expiration: UInt64?
    /// `apns-priority`.
    public var priority: Int?
    /// `apns-push-type`.
    public var pushType: String?
    /// `apns-topic`.
    public var topic: String?
    /// `Urgency` of Web Push, or the priority of FCM's Android part in lower case.
    public var urgency: String?
    /// `TTL` of Web Push, or `ttl` of FCM's Android part, seconds.
    public var timeToLive: Int?
    /// The body up to the carrier's limit, of Apple 4096 bytes, 5120 of a VoIP push; empty if `keepsBodies` is false.
    ///
    /// It is empty for a request for an access token, too.
    public var body: [UInt8]
    /// The decrypted body of a Web Push message; nil if it cannot be decrypted, and for other carriers.
    public var contents: [UInt8]?
    /// The body's length as sent.
    public var bodyLength: Int
    /// When its last byte was received, by the configured clock.
    public var receivedAt: Date
    /// The host that it was sent to; nil if the port stands in for both hosts.
    public var environment: SandboxEnvironment?
    /// The number of the HTTP/2 connection, from 1.
    public var connection: Int
    /// The HTTP/2 stream id.
    public var stream: Int
    /// The status that the client got; 0 if none.
    public var status: Int
    /// The reason that the client got.
    public var reason: String?
    /// How it ended.
    public var ending: Ending
    /// Whether the carrier has accepted the notification: it was answered with success, or a script says so.
    ///
    /// A dry run and a request for an access token are none.
    public var isAccepted: Bool

    /// The last eight characters of the token: enough to tell devices apart, too little to push to one.
    public var tokenSuffix: String { String(token.suffix(8)) }
}
