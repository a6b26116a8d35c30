public import FoundationEssentials

/// How an ``APNsSandbox`` listens and what it accepts.
public struct SandboxConfiguration: Sendable {
    /// The address to listen on; loopback by default, since the control endpoint asks for no password.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 takes a free one (``APNsSandbox/boundPort``).
    ///
    /// It stands in for both of Apple's hosts; beside a ``developmentPort``, for the production host alone.
    public var port = 0
    /// A second port, which stands in for the development host; 0 takes a free one, nil is none.
    public var developmentPort: Int?
    /// The team id that a provider token's `iss` must name.
    public var teamID: String
    /// The known keys: key id (`kid`) to the key's PEM, which may be of a private key (`.p8`) or a public one.
    public var keys: [String: String]
    /// The topics that may be sent to; empty allows every well-formed one.
    public var topics: Set<String> = []
    /// The HTTP/2 streams a connection may have open at once.
    public var maximumStreams = 1000
    /// Whether a connection gets a single stream until its first success, as with Apple.
    public var oneStreamUntilFirstSuccess = false
    /// After so many refusals in a row on a connection its streams fall to one, until the next success; nil: never.
    public var refusalsUntilOneStream: Int?
    /// Whether a provider token that replaces another within 20 minutes gets 429 `TooManyProviderTokenUpdates`.
    public var limitsProviderTokenUpdates = true
    /// Whether a connection that was once answered `ExpiredProviderToken` gets that answer ever after,
    /// as connections to Apple have been seen to do.
    public var expiredTokenSticksToConnection = false
    /// Seeds the random numbers behind rules with a chance below one.
    public var seed: UInt64 = 1
    /// How many notifications, and how many requests, are kept; the oldest go first.
    public var logCapacity = 100_000
    /// Whether the bodies are kept with them; without, a benchmark runs in little memory.
    public var keepsBodies = true
    /// How long ``APNsSandbox/stop()`` waits for requests that are still to be answered.
    public var drainTimeout: Duration = .seconds(2)
    /// The wall clock: provider tokens age by it, and arrivals are stamped with it.
    public var now: @Sendable () -> Date = { Date() }

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
