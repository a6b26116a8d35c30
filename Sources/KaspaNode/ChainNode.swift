package import AsyncAlgorithms
package import Kaspa

/// A source of chain events that can be asked about the virtual chain: a node, or a script in a test.
package protocol ChainNode: Sendable {
    /// Blocks as the node adds them to its graph. The node is read no faster than this is; it finishes with the node.
    var blocks: AsyncChannel<Block> { get }

    /// Reasons to ask for the virtual chain now; for one reader. It finishes with the node.
    var hints: AsyncStream<NodeHint> { get }

    /// What is known of the connection.
    var status: NodeStatus { get }

    /// Leaves the node at `url` for the next one, if it is still the one that is followed.
    func leave(_ url: String, _ error: NodeError)

    /// How the virtual chain differs from what it was when `start` was its highest block.
    ///
    /// The answer is a batch: ask again from the last added hash until nothing is added.
    /// Throws `startHashUnknown` when the node has no such block any more, `syncing` while it cannot say.
    func virtualChain(from start: BlockHash) async throws(NodeError) -> VirtualChainUpdate

    /// The same; with `readingAhead` the node is asked from the last added block as soon as the answer has come, and not
    /// only when it is read and asked for. The next call takes that answer if it asks from there before it is old.
    func virtualChain(from start: BlockHash, readingAhead: Bool) async throws(NodeError) -> VirtualChainUpdate

    /// The outline of the node's block graph.
    func dagInfo() async throws(NodeError) -> DagInfo

    /// The header of a block that the node has.
    func header(of block: BlockHash) async throws(NodeError) -> BlockHeader

    /// The address whose coins an accepted transaction spends first, when the virtual chain did not say it.
    func utxoReturnAddress(of transaction: TransactionID, acceptingDAAScore: UInt64) async throws(NodeError) -> Address
}

extension ChainNode {
    /// Who cannot read ahead is asked when it is time.
    package func virtualChain(from start: BlockHash, readingAhead: Bool) async throws(NodeError) -> VirtualChainUpdate {
        try await virtualChain(from: start)
    }
}
