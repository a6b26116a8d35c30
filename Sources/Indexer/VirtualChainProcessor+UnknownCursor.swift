import Clocks
import KaspaNode
import Logging
import Store
import Synchronization

/// What to do when the node does not have the cursor's block.
extension VirtualChainProcessor {
    /// Continues at the pruning point once no node has the cursor's block.
    ///
    /// A node that should have it gets time first. `url` is the node that was asked. Throws `error` while it waits.
    func leaveUnknown(_ cursor: ChainCursor, of url: String?, _ error: NodeError) async throws {
        let info = try await node.dagInfo()
        guard info.pruningPoint != cursor.blockHash else { throw error }
        let next = try await self.cursor(at: info.pruningPoint)
        // The two answers must come from the same node.
        guard let url, node.status.connectedURL == url else { throw error }
        if next.daaScore > cursor.daaScore {
            try await leaveGap(from: cursor, to: next, url, error)
        } else {
            let isLower = info.virtualDAAScore < cursor.daaScore
            try await readAgain(from: next, instead: cursor, url, isLower: isLower, error)
        }
        endUnknownCursorWait()
    }

    /// Ends the wait: another node, or the same one after a restart, gets its own time.
    func endUnknownCursorWait() { status.update { $0.unknownCursorWait = nil } }

    private func leaveGap(
        from cursor: ChainCursor, to next: ChainCursor, _ url: String, _ error: NodeError
    ) async throws {
        let (nodes, time) = (node.status.nodes, clock.now())
        let isLost = status.nodesWithoutCursor.withLock { $0.isLost(cursor.blockHash, to: url, of: nodes, now: time) }
        guard isLost else {
            node.leave(url, NodeError(.unusable, "the node has pruned the block to go on from: \(error.message)"))
            throw error
        }
        let gap = try await store.history.leaveGap(from: cursor, to: next, now: time)
        show(gap)
        // What lies between is lost to this store: the operator must know.
        logger.error(
            "indexer.chain.gap",
            metadata: [
                "from_daa_score": "\(gap.fromDAAScore)", "to_daa_score": "\(gap.toDAAScore)",
                "node.message": "\(error.message)",
                "consequence": "messages accepted in between may be missing; they are neither stored nor pushed",
            ])
    }

    /// Waits for a node that has not pruned the block, then starts again at its pruning point: it is behind, or never
    /// saw our branch.
    private func readAgain(
        from next: ChainCursor, instead cursor: ChainCursor, _ url: String, isLower: Bool, _ error: NodeError
    ) async throws {
        let time = clock.now()
        let before = status.snapshot.unknownCursorWait
        let unknown = UnknownCursorWait(after: before, url: url, isLower: isLower, now: time)
        status.update { $0.unknownCursorWait = unknown }
        guard unknown.isOver(now: time) else {
            if unknown != before { tell(unknown, cursor, at: time, error) }
            throw error
        }
        try await store.history.resetCursor(to: next)
        logger.error(
            "indexer.chain.read_again",
            metadata: [
                "unknown_block": "\(cursor.blockHash)", "from_daa_score": "\(next.daaScore)",
                "node.message": "\(error.message)",
                "consequence": "nothing is lost; what only the unknown branch accepted stays accepted here",
            ])
    }

    /// Logs one line for the whole wait.
    private func tell(_ unknown: UnknownCursorWait, _ cursor: ChainCursor, at time: UInt64, _ error: NodeError) {
        logger.warning(
            "indexer.chain.node_awaited",
            metadata: [
                "node.url": "\(unknown.url)", "node.message": "\(error.message)",
                "unknown_block": "\(cursor.blockHash)", "seconds_left": "\(unknown.secondsLeft(at: time))",
                "consequence": "then the chain is read again from the node's pruning point",
            ])
    }
}
