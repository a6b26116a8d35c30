public import FoundationEssentials

/// The settings of an ``APNsSandbox``.
public struct SandboxConfiguration: Sendable {
    /// The address to listen on.
    ///
    /// The default is loopback, since the control endpoint has no password.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 takes a free one (``APNsSandbox/boundPort``).
    ///
    /// It stands in for both of Apple's hosts, or only for the production host if ``developmentPort`` is set.
    public var port = 0
    /// A second port, for the development host; 0 takes a free one, nil is none.
    public var developmentPort: Int?
    /// The team id that a provider token's `iss` must name.
    public var teamID: String
    /// The known keys: key id (`kid`) to the key's PEM, which may be of a private key (`.p8`) or a public one.
    public var keys: [String: String]
    /// The accepted topics; empty accepts every well-formed one.
    public var topics: Set<String> = []
    /// The HTTP/2 streams that a connection may have open at once.
    public var maximumStreams = 1000
    /// Whether a connection gets a single stream until its first success, as with Apple.
    public var oneStreamUntilFirstSuccess = false
    /// The refusals in a row after which a connection's limit falls to one stream, until the next success; nil for
    /// never.
    public var refusalsUntilOneStream: Int?
    /// Whether a new provider token within 20 minutes of the last gets 429 `TooManyProviderTokenUpdates`.
    public var limitsProviderTokenUpdates = true
    /// Whether a connection that got `ExpiredProviderToken` once gets it for every later request, as has been observed
    /// with Apple.
    public var expiredTokenSticksToConnection = false
    /// The seed of the random numbers for rules with a chance below one.
    public var seed: UInt64 = 1
    /// The most notifications, and the most requests, that are kept.
    ///
    /// The oldest are dropped first.
    public var logCapacity = 100_000
    /// Whether bodies are kept.
    ///
    /// Without them, a benchmark needs little memory.
    public var keepsBodies = true
    /// How long ``APNsSandbox/stop()`` waits for pending requests.
    public var drainTimeout: Duration = .seconds(2)
    /// The wall clock, for the age of provider tokens and the time of requests.
    public var now: @Sendable () -> Date = { Date() }

    /// The Google project to play beside Apple: FCM and Google's token endpoint; nil for none.
    public var google: GoogleStandIn?
    /// Whether to play a Web Push service beside Apple.
    public var webPush = false

    /// Accepts tokens of one team, signed with one of `keys`.
    public init(teamID: String, keys: [String: String], topics: Set<String> = []) {
        self.teamID = teamID
        self.keys = keys
        self.topics = topics
    }

    /// Accepts what `credentials` sign.
    public init(credentials: SandboxCredentials, topics: Set<String> = []) {
        self.init(
            teamID: credentials.teamID, keys: [credentials.keyID: credentials.privateKeyPEM], topics: topics)
    }
}
