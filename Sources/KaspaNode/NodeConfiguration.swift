import Clocks
package import Kaspa

/// Which nodes to follow, and the limits of doing so.
package struct NodeConfiguration: Sendable {
    /// Addresses in order of preference, `http://host:port` or `https://host:port`; see `NodeEndpoint`.
    package var urls: [String]

    /// The PEM file of the authority that signed the certificates of `https` nodes; nil for the system's authorities.
    package var certificateAuthorityPath: String?

    /// The network that a node must be on to be followed.
    package var network: Network

    /// The timeout of connecting and of the node's first answer.
    package var connectTimeout: Duration = .seconds(10)

    /// The timeout of a request.
    package var requestTimeout: Duration = .seconds(30)

    /// The timeout of a request for the virtual chain, which grows with each timeout.
    package var chainTimeout = ChainTimeout()

    /// How old an answer that was read ahead may be.
    ///
    /// An older one is requested again.
    package var readAheadAge: Duration = .seconds(10)

    /// The pauses before a node is tried again.
    package var reconnect = ReconnectDelays()

    /// How long the followed node may send no block before it is left (`node.stall_timeout`).
    ///
    /// Time in which its blocks wait for the receiver does not count.
    package var stallTimeout: Duration = .seconds(30)

    /// How often all nodes are probed while one is followed, if there are several.
    package var probeInterval: Duration = .seconds(10)

    /// The most pending requests.
    ///
    /// More are refused with `NodeError.Code.busy`.
    package var maximumOutstandingRequests = 64

    /// The largest message accepted, in bytes: the node's own limit.
    ///
    /// Refusing a smaller one would not help, since the answer to the same request does not shrink.
    package var maximumMessageBytes = 1024 * 1024 * 1024

    /// Whether to accept and send gzip.
    ///
    /// It costs six to eight times the processor time, so it only pays for distant nodes.
    package var usesCompression = false

    /// Takes the nodes and their network; everything else has a default.
    package init(urls: [String], network: Network) {
        self.urls = urls
        self.network = network
    }
}

/// How long to wait before a node that was left is tried again.
package struct ReconnectDelays: Hashable, Sendable {
    /// The pause after a healthy connection.
    package var initial: Duration
    /// The longest pause.
    ///
    /// Each pause is twice as long as the one before.
    package var maximum: Duration
    /// How long a node must be followed for its connection to count as healthy.
    ///
    /// A shorter one does not reset the pause: a node that hangs up after each handshake would be called five times a
    /// second.
    package var healthyAfter: Duration

    /// Takes all three times.
    package init(
        initial: Duration = .milliseconds(200), maximum: Duration = .seconds(10), healthyAfter: Duration = .seconds(1)
    ) {
        self.initial = initial
        self.maximum = maximum
        self.healthyAfter = healthyAfter
    }

    var backoff: Backoff<Duration> { Backoff(first: initial, ceiling: maximum) }
}
