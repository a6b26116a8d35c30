/// The state of the connection to the node at one moment.
package struct NodeStatus: Sendable {
    /// The URL of the node that is followed; nil while there is none.
    package var connectedURL: String?

    /// Why no node is followed, in a sentence; nil while one is.
    package var reason: String?

    /// The node's version, kept after a disconnect.
    package var serverVersion: String?

    /// Whether the node reported itself synced when last asked.
    package var isSynced = false

    /// The greatest DAA score that the followed node reported.
    ///
    /// The score grows by about ten a second.
    package var virtualDAAScore: UInt64 = 0

    /// When the last block arrived; nil before the first.
    package var lastBlockAt: ContinuousClock.Instant?

    /// Each configured node, in order of preference.
    package var nodes: [NodeReport] = []

    /// The state before the first connection.
    package init() {
        reason = "no connection has been tried yet"
    }
}

/// Says that something happened at the node.
///
/// Ask for the virtual chain to learn what. A slow reader gets only the newest few hints, and any hint means "ask now".
package enum NodeHint: Hashable, Sendable {
    /// A node is followed and takes requests.
    case connected
    /// The virtual chain moved.
    case virtualChainChanged
    /// No node is followed any more. The next one is tried.
    case disconnected
}
