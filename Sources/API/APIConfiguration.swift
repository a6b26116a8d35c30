package import Kaspa
import Store

/// What the REST server has to know (configuration.md, `http.*` and `push.auth_mode`).
package struct APIConfiguration: Sendable {
    /// Whether changes of registrations must be signed (registration-auth.md, "Modes").
    package enum AuthenticationMode: String, Sendable { case legacy, mixed, strict }

    package var network: Network
    package var host: String
    /// 0 takes a free port.
    package var port: Int
    package var authenticationMode: AuthenticationMode
    /// Changes of registrations that one client address may make in a minute; 0 is no limit.
    package var rateLimitPerMinute: Int
    /// Whose X-Forwarded-For is believed.
    package var trustedProxies: [AddressBlock]
    /// Connections served at the same time, at least 1; more wait for one to end.
    package var maximumConnections: Int
    /// Streams of events served at the same time, below `maximumConnections`; more are 503.
    package var maximumStreams: Int
    /// A link to a transaction with `{tx_id}` in it; nil where there is no explorer.
    package var explorerURL: String?
    /// Names under which the server answers, besides those of loopback; empty: all (`HostNames`).
    package var hostNames: [String]
    /// nil: plain HTTP.
    package var tls: TLSIdentity?
    /// How long a request's headers may take to come, and a TLS handshake with the first.
    var headTimeout = Duration.seconds(10)
    /// Reads that wait for a thread at once; more are 503.
    var waitingReads = Reads.waiting
    /// Rows that one read looks at, at most.
    var rowsPerRead = ReadBudget.rows
    /// Changes that a stream hands to a reader that comes back, at most; whoever is further behind begins anew.
    var longestReplay = ActivityStream.longestReplay
    /// How long a request's body may take to come.
    var bodyTimeout = Duration.seconds(20)
    /// A connection on which nothing comes for so long is closed.
    var idleTimeout = Duration.seconds(60)
    /// How often a stream on which nothing happens says that it lives.
    var heartbeat = Duration.seconds(15)
    /// How long a stream's reader may take nothing before its connection is cut.
    var streamWriteTimeout = Duration.seconds(30)

    package init(
        network: Network, host: String = "127.0.0.1", port: Int = 8080,
        authenticationMode: AuthenticationMode = .mixed, rateLimitPerMinute: Int = 60,
        trustedProxies: [AddressBlock] = [], maximumConnections: Int = 512, maximumStreams: Int = 256,
        explorerURL: String? = nil, hostNames: [String] = [], tls: TLSIdentity? = nil
    ) {
        self.network = network
        self.host = host
        self.port = port
        self.authenticationMode = authenticationMode
        self.rateLimitPerMinute = rateLimitPerMinute
        self.trustedProxies = trustedProxies
        self.maximumConnections = maximumConnections
        self.maximumStreams = maximumStreams
        self.explorerURL = explorerURL
        self.hostNames = hostNames
        self.tls = tls
    }
}
