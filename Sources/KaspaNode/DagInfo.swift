package import Kaspa

/// The tips and scores of the node's block graph.
package struct DagInfo: Hashable, Sendable {
    /// The network as the node spells it, with its prefix: `kaspa-mainnet`.
    package var networkName: String

    /// The lowest block of the virtual chain that the node keeps.
    ///
    /// A reader without a cursor starts here.
    package var pruningPoint: BlockHash

    /// The highest block of the virtual chain.
    package var sink: BlockHash

    /// The DAA score of the next chain block.
    package var virtualDAAScore: UInt64

    /// The median time of the last blocks below the sink, milliseconds since 1970.
    ///
    /// No single miner decides it.
    package var pastMedianTime: UInt64

    /// Takes all fields.
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

extension DagInfo {
    /// Reads an answer of GetBlockDagInfo.
    package init(_ message: Protowire_GetBlockDagInfoResponseMessage) throws(NodeError) {
        self.init(
            networkName: message.networkName,
            pruningPoint: try Fields.hash(message.pruningPointHash, "the pruning point"),
            sink: try Fields.hash(message.sink, "the sink"),
            virtualDAAScore: message.virtualDaaScore,
            pastMedianTime: UInt64(clamping: message.pastMedianTime))
    }
}
