import Kaspa
import KaspaNode

/// Which configured nodes have pruned the block that the chain is to be read on from: the pure half of leaving a gap.
///
/// A gap is for ever, and another node may keep its blocks for longer.
struct PrunedCursor {
    /// How long nodes that cannot be asked are waited for, since the first one refused, in milliseconds.
    static let patience: UInt64 = 300_000
    /// The same while there is one that is fit to be asked, and has not answered yet.
    static let longestPatience: UInt64 = 3_600_000

    private var block: BlockHash?
    private var since: UInt64 = 0
    private var refusers: Set<String> = []

    /// Whether no node is left that may have the block, now that the one at `url` has said that it has pruned it.
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
        return now >= since.later(by: isOneFit ? PrunedCursor.longestPatience : PrunedCursor.patience)
    }
}
