package import AsyncAlgorithms
package import Kaspa

/// A source of chain events that can be asked about the virtual chain: a node, or a script in a test.
package protocol ChainNode: Sendable {
    /// Blocks as the node adds them to its graph.
    ///
    /// The connection is read only as fast as this channel. It finishes when the node does.
    var blocks: AsyncChannel<Block> { get }

    /// Hints to ask for the virtual chain now, for one reader. The stream finishes when the node does.
    var hints: AsyncStream<NodeHint> { get }

    /// The state of the connection.
    var status: NodeStatus { get }

    /// Switches to the next node if the one at `url` is still followed.
    func leave(_ url: String, _ error: NodeError)

    /// The blocks that the virtual chain has added and removed since `start` was its highest block.
    ///
    /// The answer is one batch: ask again from the last added hash until nothing is added.
    /// Throws `startHashUnknown` when the node does not have the block, `syncing` while the node is syncing.
    func virtualChain(from start: BlockHash) async throws(NodeError) -> VirtualChainUpdate

    /// The same. With `readingAhead`, the next batch is requested as soon as this answer arrives.
    ///
    /// The next call takes that batch if it continues there before the batch is too old
    /// (`NodeConfiguration.readAheadAge`).
    func virtualChain(from start: BlockHash, readingAhead: Bool) async throws(NodeError) -> VirtualChainUpdate

    /// The tips and scores of the node's block graph.
    func dagInfo() async throws(NodeError) -> DagInfo

    /// The header of a block that the node has.
    func header(of block: BlockHash) async throws(NodeError) -> BlockHeader

    /// The address of an accepted transaction's first input, for when the virtual chain did not name it.
    func utxoReturnAddress(of transaction: TransactionID, acceptingDAAScore: UInt64) async throws(NodeError) -> Address
}

extension ChainNode {
    /// A source that cannot read ahead ignores `readingAhead`.
    package func virtualChain(from start: BlockHash, readingAhead: Bool) async throws(NodeError) -> VirtualChainUpdate {
        try await virtualChain(from: start)
    }
}
