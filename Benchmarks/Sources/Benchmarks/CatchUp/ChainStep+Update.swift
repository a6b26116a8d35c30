import Indexer
import Kaspa
import Store

extension ChainStep {
    /// What the store applies for an answer about the virtual chain, without asking for senders that it lacks: what
    /// `VirtualChainProcessor` does between the node and the store.
    ///
    /// `cursor` is where the chain stood, `maximumAge` is in milliseconds and `now` in milliseconds since 1970.
    init(_ update: VirtualChainUpdate, after cursor: ChainCursor, network: Network, maximumAge: UInt64, now: UInt64) {
        let indexing = ChainIndexing(
            network: network, enqueuesEvents: true, maximumAge: maximumAge, withdrawsUnsent: false)
        var builder = ChainStepBuilder(update, after: cursor, indexing: indexing)
        self = builder.build(now: now, chainTime: now)
    }
}
