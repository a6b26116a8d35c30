package import Kaspa
package import Store
import Synchronization
import Troubles

/// The state of the indexer, for /ready and the log.
package final class IndexerStatus: Sendable {
    package struct Snapshot: Sendable {
        /// The last chain block applied.
        package var blockHash: BlockHash?
        package var daaScore: UInt64 = 0
        /// The last chain block's time, milliseconds since 1970.
        package var blockTime: UInt64 = 0
        /// Why the chain cannot be applied, unless the store says so itself (`Store.trouble`); nil while it can.
        package var storeTrouble: String?
        /// Why the node gives no answer about the chain; nil while it does.
        package var nodeTrouble: String?
        /// The wait for a node that does not know the last applied block; nil without one.
        var unknownCursorWait: UnknownCursorWait?
        /// The number of gaps, parts of the chain that were pruned before they were read, over the store's life.
        package var gaps: UInt64 = 0
        /// The last gap.
        package var lastGap: ChainGap?
        /// Whether the cursor is far from the tip, or the tip is not known yet.
        package var isCatchingUp = true
        /// The progress of a catch-up; nil when the tip is near.
        package var progress: CatchUpProgress?
        /// Whether the intake waits for the dispatcher.
        package var waitsForDispatcher = false
    }

    private let state = Mutex(Snapshot())
    /// Measures the current catch-up.
    let meter = Mutex(ProgressMeter())
    /// The nodes that have pruned the last applied block.
    let nodesWithoutCursor = Mutex(NodesWithoutCursor())
    /// What was logged about a failing node, and about a failing store.
    let (nodeTrouble, storeTrouble, blockTrouble) = (SharedTrouble(), SharedTrouble(), SharedTrouble())

    package init() {}

    /// How long /ready shows a gap, milliseconds.
    package static let gapShown: UInt64 = 3_600_000

    /// The state in a sentence, at `now` in milliseconds since 1970; `ok` when all is well.
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

    /// Why the node gives no answer about the chain, in a sentence, at `now` in milliseconds since 1970; nil while it
    /// does.
    package func nodeSentence(at now: UInt64) -> String? {
        let state = snapshot
        return state.unknownCursorWait?.sentence(at: now) ?? state.nodeTrouble
    }

    package var snapshot: Snapshot { state.withLock { $0 } }

    func update(_ change: (inout Snapshot) -> Void) { state.withLock { change(&$0) } }
}
