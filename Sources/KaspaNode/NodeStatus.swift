/// What is known of the connection to the node at one moment.
package struct NodeStatus: Sendable {
    /// The URL of the node that is followed; nil while there is none.
    package var connectedURL: String?

    /// Why no node is followed, in a sentence; nil while one is.
    package var reason: String?

    /// The version that the node gave itself, kept after a disconnect.
    package var serverVersion: String?

    /// Whether the node said that it is synced when it was asked last.
    package var isSynced = false

    /// The greatest DAA score that the node followed last told of: the chain's clock, about ten a second.
    package var virtualDAAScore: UInt64 = 0

    /// When the last block came; nil before the first.
    package var lastBlockAt: ContinuousClock.Instant?

    /// Each configured node, in order of preference.
    package var nodes: [NodeReport] = []

    /// The state before the first connection.
    package init() {
        reason = "no connection has been tried yet"
    }
}

/// Something happened at the node; what, the virtual chain says when asked.
///
/// Hints coalesce: a slow reader finds the newest few, and any hint means "ask now".
package enum NodeHint: Hashable, Sendable {
    /// A node is followed and can be asked.
    case connected
    /// The virtual chain moved.
    case virtualChainChanged
    /// No node is followed any more; the next is being tried.
    case disconnected
}
