import Kaspa

/// Which configured nodes have pruned the block that the chain is to be read on from: the pure half of leaving a gap.
///
/// A gap is for ever, and another node may keep its blocks for longer.
struct PrunedCursor {
    /// How long nodes that have not been asked are waited for, since the first one refused, in milliseconds.
    static let patience: UInt64 = 300_000

    private var block: BlockHash?
    private var since: UInt64 = 0
    private var refusers: Set<String> = []

    /// Whether no node is left that may have the block, now that the one at `url` has said that it has pruned it.
    ///
    /// `urls` are all configured nodes.
    mutating func isLost(_ block: BlockHash, to url: String, of urls: [String], now: UInt64) -> Bool {
        if self.block != block {
            self.block = block
            since = now
            refusers = []
        }
        refusers.insert(url)
        return refusers.isSuperset(of: urls) || now >= since.later(by: PrunedCursor.patience)
    }
}
