import Kaspa
import KaspaNode

/// The configured nodes that have pruned the cursor's block.
///
/// A gap in the history is permanent, and another node may keep its blocks for longer. So a gap is accepted only when
/// no node is left to ask.
struct NodesWithoutCursor {
    /// How long to wait for nodes that are not reachable, after the first one refused, milliseconds.
    static let patience: UInt64 = 300_000
    /// The same while a healthy node has not been asked yet.
    static let longestPatience: UInt64 = 3_600_000

    private var block: BlockHash?
    private var since: UInt64 = 0
    private var refusers: Set<String> = []

    /// Records that the node at `url` has pruned the block.
    ///
    /// Returns whether no other node may still have it.
    ///
    /// `nodes` are all configured ones.
    mutating func isLost(_ block: BlockHash, to url: String, of nodes: [NodeReport], now: UInt64) -> Bool {
        if self.block != block {
            self.block = block
            since = now
            refusers = []
        }
        refusers.insert(url)
        let unheard = nodes.filter { !refusers.contains($0.url) }
        guard !unheard.isEmpty else { return true }
        let isOneFit = unheard.contains { $0.state == .standby }
        return now >= since.later(by: isOneFit ? NodesWithoutCursor.longestPatience : NodesWithoutCursor.patience)
    }
}
