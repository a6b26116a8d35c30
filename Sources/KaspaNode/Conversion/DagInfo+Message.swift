import Kaspa

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
