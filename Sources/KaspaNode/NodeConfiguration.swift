package import Kaspa

/// Which nodes to follow and how patiently.
package struct NodeConfiguration: Sendable {
    /// Addresses in order of preference, `http://host:port` or `https://host:port`; see `NodeEndpoint`.
    package var urls: [String]

    /// The PEM file of the authority that signed the certificates of `https` nodes; nil for the system's authorities.
    package var certificateAuthorityPath: String?

    /// The network that a node must be on to be followed.
    package var network: Network

    /// How long a node has to accept the connection and say who it is.
    package var connectTimeout: Duration = .seconds(10)

    /// How long a node has to answer a request.
    package var requestTimeout: Duration = .seconds(30)

    /// How long a node has to answer about the virtual chain: at first, and after one such timeout upon another.
    package var chainTimeout = ChainTimeout()

    /// How old the answer to a question about the virtual chain may be that was put ahead; an older one is asked again.
    package var readAheadAge: Duration = .seconds(10)

    /// How long to wait before the next attempt to connect, and how that grows.
    package var reconnect = ReconnectDelays()

    /// How long the followed node may be without a block before it is left (`node.stall_timeout`).
    ///
    /// Time in which its blocks wait for us does not count.
    package var stallTimeout: Duration = .seconds(30)

    /// How often all nodes are probed, on connections of their own, while one is followed and there are others.
    package var probeInterval: Duration = .seconds(10)

    /// Requests that may wait for an answer at the same time; more are refused with `NodeError.Code.busy`.
    package var maximumOutstandingRequests = 64

    /// The largest answer or notification accepted, in bytes: the node's own limit, as the answer to the same question
    /// does not become smaller.
    package var maximumMessageBytes = 1024 * 1024 * 1024

    /// Whether to accept and send gzip.
    ///
    /// It costs six to eight times the processor time: only for far nodes.
    package var usesCompression = false

    /// Takes the nodes and their network; everything else has a default.
    package init(urls: [String], network: Network) {
        self.urls = urls
        self.network = network
    }
}
