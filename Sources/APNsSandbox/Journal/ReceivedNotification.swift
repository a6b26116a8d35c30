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
    /// The device token as sent.
    public var token: String
    /// `apns-id`: the client's, or the one that the sandbox generated.
    public var id: String
    /// `apns-collapse-id`.
    public var collapseID: String?
    /// `apns-expiration`, UNIX seconds.
    public var expiration: UInt64?
    /// `apns-priority`.
    public var priority: Int?
    /// `apns-push-type`.
    public var pushType: String?
    /// `apns-topic`.
    public var topic: String?
    /// The body up to Apple's limit (4096 bytes, 5120 of a VoIP push); empty if `keepsBodies` is false.
    public var body: [UInt8]
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
    /// Whether Apple has accepted the notification: it was answered 200, or a script says so.
    public var isAccepted: Bool

    /// The last eight characters of the token: enough to tell devices apart, too little to push to one.
    public var tokenSuffix: String { String(token.suffix(8)) }
}
