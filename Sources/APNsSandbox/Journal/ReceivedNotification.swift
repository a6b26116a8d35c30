public import FoundationEssentials

/// One request as it arrived, and what became of it.
public struct ReceivedNotification: Sendable, Equatable {
    /// How the sandbox dealt with the request.
    public enum Ending: String, Sendable, Codable {
        /// It was answered with `status`.
        case answered
        /// A script kept silent.
        case silence
        /// A script reset the stream.
        case reset
        /// A script sent half an answer.
        case halfBody = "half_body"
        /// A GOAWAY left the stream unprocessed.
        case goAway = "go_away"
        /// A script cut the connection.
        case closed
        /// The client gave the stream or the connection up before the answer.
        case abandoned
    }

    /// 1 for the first request, 2 for the second, and so on, in order of arrival in the log.
    public var number: Int
    /// The device token as sent.
    public var token: String
    /// `apns-id`: the client's, or the one the sandbox made up in its answer.
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
    /// The body; at most Apple's limit is kept (4096 bytes, 5120 of a VoIP push), none if the configuration says so.
    public var body: [UInt8]
    /// The body's length as sent.
    public var bodyLength: Int
    /// When its last byte was read, by the configured clock.
    public var receivedAt: Date
    /// The host that it was sent to; nil if the port stands in for both.
    public var environment: SandboxEnvironment?
    /// The connection: 1 is the first that spoke HTTP/2.
    public var connection: Int
    /// The HTTP/2 stream id.
    public var stream: Int
    /// The status the client was answered with; 0 if it was told none.
    public var status: Int
    /// The reason the client was given.
    public var reason: String?
    /// How it ended.
    public var ending: Ending
    /// Whether the notification counts as delivered to Apple: answered 200, or a script says so.
    public var isAccepted: Bool

    /// The last eight characters of the token: enough to tell devices apart, too little to push to one.
    public var tokenSuffix: String { String(token.suffix(8)) }
}
