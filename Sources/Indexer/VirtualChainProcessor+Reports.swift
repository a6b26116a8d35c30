import Clocks
import Kaspa
import KaspaNode
import Logging
import Metrics
import Policy
import Store
import Synchronization

/// What the processor says of its work: to the log, to the metrics, and to whoever asks for its status.
extension VirtualChainProcessor {
    /// Logs a reorganisation that the store cannot undo in full.
    func reportDepth(of update: VirtualChainUpdate, below cursor: ChainCursor) {
        guard VirtualChainProcessor.isBeyondFinality(update, below: cursor) else { return }
        logger.critical(
            "indexer.chain.beyond_finality",
            metadata: [
                "to_blue_score": "\(cursor.blueScore)",
                "consequence": "what only the removed blocks accepted stays accepted here: start with an empty store",
            ])
    }

    /// Whether a reorganisation is so deep that the store no longer knows which transactions the blocks accepted.
    static func isBeyondFinality(_ update: VirtualChainUpdate, below cursor: ChainCursor) -> Bool {
        guard !update.removed.isEmpty, let first = update.added.first?.header.blueScore else { return false }
        return cursor.blueScore > first && cursor.blueScore - first > History.reorganizationDepth
    }

    func show(_ gap: ChainGap) {
        status.update {
            $0.gaps = gap.count
            $0.lastGap = gap
        }
        instruments.gaps.record(Double(gap.count))
        instruments.gapsUnderOldName.record(Double(gap.count))
    }

    func count(_ update: VirtualChainUpdate, _ builder: ChainStepBuilder, _ result: ChainStepResult) {
        instruments.acceptedTransactions.increment(by: result.accepted)
        instruments.revertedTransactions.increment(by: result.reverted)
        for (kind, count) in builder.counts { instruments.operation(kind: kind, count: count) }
        instruments.operation(kind: "group_message_foreign", count: result.foreignGroupMessages)
        for (kind, count) in result.enqueued { instruments.pushes.event(kind, count: count) }
        for (kind, count) in result.revertedPushes { instruments.revertedPush(kind: kind.description, count: count) }
        instruments.pushes.delivery(.withdrawn, reason: "reorganization", count: result.withdrawn)
        instruments.pushes.delivery(.suppressed, reason: "too_old", count: builder.tooOld + result.tooOldTransfers)
        guard !update.removed.isEmpty else { return }
        instruments.reorganizations.increment()
        instruments.reorganizationDepth.record(update.removed.count)
        // Short ones are common in a block graph.
        logger.log(
            level: update.removed.count >= VirtualChainProcessor.remarkableDepth ? .notice : .debug,
            "indexer.chain.reorganized",
            metadata: [
                "removed": "\(update.removed.count)", "added": "\(update.added.count)",
                "reverted": "\(result.reverted)",
            ])
    }

    func report(_ cursor: ChainCursor) {
        let time = clock.present()
        instruments.virtualChainDAAScore.record(Double(cursor.daaScore))
        instruments.lagSeconds.record(Double(time - min(time, cursor.timestamp)) / 1000)
        status.update {
            $0.blockHash = cursor.blockHash
            $0.daaScore = cursor.daaScore
            $0.blockTime = cursor.timestamp
        }
        reportProgress(cursor.daaScore, at: clock.now())
    }

    private func reportProgress(_ score: UInt64, at time: UInt64) {
        guard isFar(score) else {
            let hadTold = status.meter.withLock { meter in
                defer { meter = ProgressMeter() }
                return meter.hasTold
            }
            status.update {
                $0.isCatchingUp = false
                $0.progress = nil
            }
            if hadTold { logger.info("indexer.chain.caught_up", metadata: ["daa_score": "\(score)"]) }
            return
        }
        let target = node.status.virtualDAAScore
        let (progress, isTold) = status.meter.withLock { $0.record(score: score, of: target, at: time) }
        status.update {
            $0.isCatchingUp = true
            $0.progress = progress
        }
        guard isTold else { return }
        logger.info(
            "indexer.chain.catching_up",
            metadata: [
                "daa_score": "\(score)", "behind": "\(progress.behind)",
                "daa_scores_per_second": "\(progress.rate.map { UInt64(min($0, 1e15)) } ?? 0)",
                "seconds_left": "\(progress.secondsLeft.map { "\($0)" } ?? "unknown")",
            ])
    }
}
