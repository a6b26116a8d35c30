package import Carriers
package import Kaspa
package import Store

/// The settings of the REST server (`http.*` and `push.auth_mode` in config/indexer.yaml).
package struct APIConfiguration: Sendable {
    /// Which changes of registrations must be signed (`push.auth_mode`).
    package enum AuthenticationMode: String, Sendable { case legacy, mixed, strict }

    package var network: Network
    package var host: String
    /// 0 takes a free port.
    package var port: Int
    package var authenticationMode: AuthenticationMode
    /// Changes of registrations that one client address may make in a minute; 0 for no limit.
    package var rateLimitPerMinute: Int
    /// The proxies whose X-Forwarded-For is trusted.
    package var trustedProxies: [AddressBlock]
    /// Connections served at once, at least 1.
    ///
    /// Further ones wait.
    package var maximumConnections: Int
    /// Event streams served at once, fewer than `maximumConnections`.
    ///
    /// Further ones get 503.
    package var maximumStreams: Int
    /// The explorer's link to a transaction, with `{tx_id}` in it; nil without an explorer.
    package var explorerURL: String?
    /// Host names that the server answers to, besides those of loopback; empty for all (`HostNames`).
    package var hostNames: [String]
    /// The certificate and key; nil for plain HTTP.
    package var tls: TLSIdentity?
    /// The carriers whose devices may register; registrations for others are refused.
    package var carriers: Set<CarrierName> = [.apns]
    /// The public key of Web Push, 65 bytes in base64url without padding; nil without Web Push.
    package var vapidPublicKey: String?
    /// The public half of the key that signs pushes at the moment; nil if they are not signed.
    package var signingKey: @Sendable () -> SigningPublicKey? = { nil }
    /// Says why an endpoint of Web Push may not be registered; nil if it may.
    ///
    /// Asked once for an endpoint that is not registered yet, after signatures and limits. It may ask the endpoint
    /// itself; the answer waits for it. The reason goes to the client, as the rest of a sentence that begins with the
    /// endpoint's name: `must have a path`.
    package var checkEndpoint: @Sendable (_ endpoint: String, _ platform: DeviceRecord.Platform) async -> String? = {
        _, _ in nil
    }
    /// The time limit of a request's headers, including the TLS handshake before the first.
    var headTimeout = Duration.seconds(10)
    /// Reads that may wait for a thread.
    ///
    /// Further ones get 503.
    var waitingReads = Reads.waiting
    /// The most rows that one read scans.
    var rowsPerRead = ReadBudget.rows
    /// The most changes that a stream replays to a reader that reconnects.
    ///
    /// One that is further behind starts again.
    var longestReplay = ActivityStream.longestReplay
    /// The time limit of a request's body.
    var bodyTimeout = Duration.seconds(20)
    /// How long a connection may be idle before it is closed.
    var idleTimeout = Duration.seconds(60)
    /// The interval of comments on an event stream, which keep it open.
    var heartbeat = Duration.seconds(15)
    /// How long a stream's reader may read nothing before its connection is closed.
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
