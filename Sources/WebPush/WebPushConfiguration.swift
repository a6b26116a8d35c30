/// How pushes are sent to browsers and to apps with UnifiedPush.
public struct WebPushConfiguration: Sendable {
    /// The operator's key.
    public var key: VAPIDKey
    /// Whom a push service asks about this server: a `mailto:` or `https:` URL of at most 255 bytes.
    public var subject: String
    /// The push services that subscriptions may name.
    public var allowedOrigins: AllowedOrigins
    /// Whether endpoints may be at private, loopback and link-local addresses.
    public var allowsPrivateAddresses: Bool
    /// A PEM file with the authority that signed the services' certificates; nil is the system's authorities.
    public var certificateAuthorityPath: String?
    /// HTTP/2 connections to each origin, 1 to 4; each has a thread and is opened when it is first needed.
    public var connections: Int
    /// Concurrent requests on each connection, 1 to 1,000; the server's own limit is respected below that.
    public var streams: Int
    /// The most pushes on their way at once, to all origins; 2 to 100,000.
    public var capacity: Int
    /// The longest text of `payload` in a message, 1 to 3,500 bytes.
    public var maximumPayloadBytes: Int
    /// The longest that name look-up, TCP and TLS may take together.
    public var connectTimeout: Duration = .seconds(10)
    /// The longest from the sending of a request to the end of its answer.
    public var requestTimeout: Duration = .seconds(30)
    /// Asked before each request is sent, on the connection's thread: one that may not begin is not sent for now.
    public var mayBegin: @Sendable () -> Bool = { true }
    /// How long what is in flight may still take once a graceful shutdown began.
    public var drainTimeout: Duration = .seconds(10)

    /// The most origins that are sent to at once.
    ///
    /// Each has a thread, and with a wide list strangers choose them.
    package var maximumOrigins = 64
    /// Addresses of names that are not looked up, as `HOST:PORT:ADDRESS[,ADDRESS]`: for tests.
    package var resolve: [String] = []

    /// Creates a configuration with the default timeouts.
    public init(
        key: VAPIDKey, subject: String, allowedOrigins: AllowedOrigins = .browsers,
        allowsPrivateAddresses: Bool = false,
        certificateAuthorityPath: String? = nil, connections: Int = 1, streams: Int = 100, capacity: Int = 400,
        maximumPayloadBytes: Int = 3_500
    ) {
        self.key = key
        self.subject = subject
        self.allowedOrigins = allowedOrigins
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.certificateAuthorityPath = certificateAuthorityPath
        self.connections = connections
        self.streams = streams
        self.capacity = capacity
        self.maximumPayloadBytes = maximumPayloadBytes
    }

    /// Throws for the first value that is out of its range.
    func validate() throws(WebPushConfigurationError) {
        guard isSubject else {
            throw WebPushConfigurationError(
                field: "subject", message: "must be a mailto: or https: URL of at most 255 bytes, without spaces")
        }
        for (field, value, range) in [
            ("connections", connections, 1...4), ("streams", streams, 1...1_000), ("capacity", capacity, 2...100_000),
            ("maximumPayloadBytes", maximumPayloadBytes, 1...3_500),
        ] where !range.contains(value) {
            throw WebPushConfigurationError(
                field: field, message: "must be \(range.lowerBound) to \(range.upperBound), not \(value)")
        }
        for (field, value) in [("connectTimeout", connectTimeout), ("requestTimeout", requestTimeout)]
        where value < .milliseconds(1) || value > .seconds(3_600) {
            throw WebPushConfigurationError(field: field, message: "must be 1 millisecond to 1 hour, not \(value)")
        }
        guard drainTimeout >= .zero, drainTimeout <= .seconds(3_600) else {
            throw WebPushConfigurationError(field: "drainTimeout", message: "must be 0 to 1 hour, not \(drainTimeout)")
        }
    }

    private var isSubject: Bool {
        let rest = ["mailto:", "https://"].first { subject.hasPrefix($0) }.map { subject.dropFirst($0.count) }
        return rest?.isEmpty == false && subject.utf8.count <= 255
            && subject.utf8.allSatisfy { (0x21...0x7e).contains($0) && !#""<>\"#.utf8.contains($0) }
    }
}
