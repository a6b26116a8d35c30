package import Kaspa
import Synchronization

/// How far the virtual chain is followed, for /ready and the log.
package final class IndexerStatus: Sendable {
    package struct Snapshot: Sendable {
        /// The last chain block applied.
        package var blockHash: BlockHash?
        package var daaScore: UInt64 = 0
        /// The last chain block's time, milliseconds since 1970.
        package var blockTime: UInt64 = 0
        /// Why the chain cannot be applied; nil while it can.
        package var storeTrouble: String?
        /// Why the node does not tell the chain; nil while it does.
        package var nodeTrouble: String?
        /// Since when the node says that it has no such block as the last one applied, milliseconds since 1970.
        package var cursorUnknownSince: UInt64?
        /// Pruned stretches of the chain that were never seen.
        package var gaps = 0
    }

    private let state = Mutex(Snapshot())

    package init() {}

    package var snapshot: Snapshot { state.withLock { $0 } }

    func update(_ change: (inout Snapshot) -> Void) { state.withLock { change(&$0) } }
}
