/// What a `NodeLink` reports to its owner, in order.
package enum NodeEvent: Sendable {
    /// A synced node on our network is followed from now on. Notifications since the last connection are lost.
    case connected
    /// The node added a block to its graph. The count is of transactions that were not decoded (`WireReading.ours`).
    case blockAdded(Protowire_RpcBlock, passedOverTransactionCount: Int)
    /// The virtual chain moved.
    case virtualChainChanged
    /// The node is no longer followed.
    case disconnected(NodeError)
}
