package import Kaspa
package import Store
import Synchronization
import Troubles

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
        /// The node says that it has no such block as the last one applied; nil while it does not.
        var unknownCursor: UnknownCursor?
        /// Pruned stretches of the chain that were never seen, over the store's life.
        package var gaps: UInt64 = 0
        /// The last of them.
        package var lastGap: ChainGap?
        /// Whether the tip is far, or was not found yet.
        package var isCatchingUp = true
        /// How a catch-up goes; nil when the tip is near.
        package var progress: CatchUpProgress?
        /// Whether the intake waits for the dispatcher.
        package var waitsForDispatcher = false
    }

    private let state = Mutex(Snapshot())
    /// Measures the catch-up that goes on.
    let meter = Mutex(ProgressMeter())
    /// Remembers which nodes have pruned the last block applied.
    let prunedCursor = Mutex(PrunedCursor())
    /// What the log has of a node that does not tell the chain, and of a store that does not take it.
    let (nodeTrouble, storeTrouble, blockTrouble) = (SharedTrouble(), SharedTrouble(), SharedTrouble())

    package init() {}

    /// How long a gap is shown to whoever asks how the service is, milliseconds.
    package static let gapShown: UInt64 = 3_600_000

    /// How the chain is followed, in a sentence, at `now` in milliseconds since 1970; `ok` when all is well.
    package func sentence(at now: UInt64) -> String {
        let state = snapshot
        var parts: [String] = []
        if let progress = state.progress {
            let rate = progress.rate.map { ", \(UInt64(min($0, 1e15))) a second" } ?? ""
            let left = progress.secondsLeft.map { ", about \($0) s left" } ?? ""
            parts.append("catching up: \(progress.behind) DAA scores behind\(rate)\(left)")
        }
        if state.waitsForDispatcher { parts.append("waiting until the dispatcher has taken queued events") }
        if let gap = state.lastGap, now < gap.foundAt || now - gap.foundAt < IndexerStatus.gapShown {
            parts.append(
                "messages accepted between DAA scores \(gap.fromDAAScore) and \(gap.toDAAScore) may be missing: "
                    + "the node had pruned them")
        }
        return parts.isEmpty ? "ok" : parts.joined(separator: "; ")
    }

    /// Why the node does not tell the chain, in a sentence, at `now` in milliseconds since 1970; nil while it does.
    package func nodeSentence(at now: UInt64) -> String? {
        let state = snapshot
        return state.unknownCursor?.sentence(at: now) ?? state.nodeTrouble
    }

    package var snapshot: Snapshot { state.withLock { $0 } }

    func update(_ change: (inout Snapshot) -> Void) { state.withLock { change(&$0) } }
}
