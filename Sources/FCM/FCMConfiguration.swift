import HTTP2Client

/// Where and how messages are sent.
public struct FCMConfiguration: Sendable {
    /// The account that pushes are sent as.
    public var account: ServiceAccount
    /// FCM's https origin; no path.
    public var endpoint: String
    /// A PEM file with the authority that signed the certificates of FCM and of the token endpoint; nil is the
    /// system's authorities.
    public var certificateAuthorityPath: String?
    /// HTTP/2 connections, 1 to 64; each has a thread and is opened when it is first needed.
    public var connections: Int
    /// Concurrent streams on each connection, 1 to 10,000; the server's own limit is respected below that.
    public var streams: Int
    /// The most messages that are sent in a minute, 1 to 10,000,000; Google's quota for a project is 600,000.
    public var messagesPerMinute: Int = 600_000
    /// The longest `enc_payload` that goes into a message, 0 to 4,096 bytes.
    public var maximumPayloadBytes: Int
    /// The longest that name look-up, TCP and TLS may take together.
    public var connectTimeout: Duration = .seconds(10)
    /// The longest from the sending of a request to the first header of its answer.
    public var firstByteTimeout: Duration = .seconds(30)
    /// The longest from the sending of a request to the end of its answer.
    public var requestTimeout: Duration = .seconds(30)
    /// Asked before each request is sent, on the connection's thread: one that may not begin is not sent for now.
    public var mayBegin: @Sendable () -> Bool = { true }
    /// How long what is in flight may still take once a graceful shutdown began.
    public var drainTimeout: Duration = .seconds(10)

    /// Google's own.
    public static let googleEndpoint = "https://fcm.googleapis.com"

    /// Creates a configuration with the default timeouts and Google's quota.
    public init(
        account: ServiceAccount, endpoint: String = FCMConfiguration.googleEndpoint,
        certificateAuthorityPath: String? = nil, connections: Int = 2, streams: Int = 100,
        maximumPayloadBytes: Int = 3_500
    ) {
        self.account = account
        self.endpoint = endpoint
        self.certificateAuthorityPath = certificateAuthorityPath
        self.connections = connections
        self.streams = streams
        self.maximumPayloadBytes = maximumPayloadBytes
    }

    /// Throws for the first value that is out of its range.
    func validate() throws(FCMConfigurationError) {
        guard HTTPSAddress(endpoint)?.path.isEmpty == true else {
            throw FCMConfigurationError(
                field: "endpoint", message: "must be https://HOST or https://HOST:PORT, without a path or user name")
        }
        for (field, value, range) in [
            ("connections", connections, 1...64), ("streams", streams, 1...10_000),
            ("messagesPerMinute", messagesPerMinute, 1...10_000_000),
            ("maximumPayloadBytes", maximumPayloadBytes, 0...FCMMessage.maximumPayloadBytes),
        ] where !range.contains(value) {
            throw FCMConfigurationError(
                field: field, message: "must be \(range.lowerBound) to \(range.upperBound), not \(value)")
        }
        for (field, value) in [
            ("connectTimeout", connectTimeout), ("firstByteTimeout", firstByteTimeout),
            ("requestTimeout", requestTimeout),
        ] where value < .milliseconds(1) || value > .seconds(3600) {
            throw FCMConfigurationError(field: field, message: "must be 1 millisecond to 1 hour, not \(value)")
        }
        guard drainTimeout >= .zero, drainTimeout <= .seconds(3600) else {
            throw FCMConfigurationError(field: "drainTimeout", message: "must be 0 to 1 hour, not \(drainTimeout)")
        }
    }

    /// What all connections to an origin have in common.
    func connectionSettings(origin: String, streams: Int) -> HTTP2Settings {
        var settings = HTTP2Settings(
            service: "FCM", origin: origin, certificateAuthorityPath: certificateAuthorityPath, streams: streams,
            connectTimeout: connectTimeout, firstByteTimeout: firstByteTimeout, requestTimeout: requestTimeout,
            answerFields: FCMAnswer.fields)
        settings.provesConnections = false
        settings.mayBegin = mayBegin
        return settings
    }
}
