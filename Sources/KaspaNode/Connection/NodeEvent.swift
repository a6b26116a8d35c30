/// What a `NodeLink` tells its owner, in order; block notifications as they come over the wire.
package enum NodeEvent: Sendable {
    /// A node on our network, synced, is followed from now on. Notifications between this and the last connection are
    /// lost.
    case connected
    /// The node added a block to its graph; so many of its transactions were not read (`WireReading.ours`).
    case blockAdded(Protowire_RpcBlock, passedOverTransactionCount: Int)
    /// The virtual chain moved.
    case virtualChainChanged
    /// The node is no longer followed.
    case disconnected(NodeError)
}
