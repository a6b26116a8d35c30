package import Kaspa

/// The outline of the node's block graph.
package struct DagInfo: Hashable, Sendable {
    /// The network as the node spells it, with its prefix: `kaspa-mainnet`.
    package var networkName: String

    /// The lowest block of the virtual chain that the node keeps; a reader without a cursor starts here.
    package var pruningPoint: BlockHash

    /// The highest block of the virtual chain.
    package var sink: BlockHash

    /// The DAA score of the next chain block.
    package var virtualDAAScore: UInt64

    /// The median time of the last blocks below the sink, milliseconds since 1970: no single miner's word.
    package var pastMedianTime: UInt64

    /// Takes the outline's fields.
    package init(
        networkName: String, pruningPoint: BlockHash, sink: BlockHash, virtualDAAScore: UInt64, pastMedianTime: UInt64
    ) {
        self.networkName = networkName
        self.pruningPoint = pruningPoint
        self.sink = sink
        self.virtualDAAScore = virtualDAAScore
        self.pastMedianTime = pastMedianTime
    }
}
