import Clocks
import KaspaNode
import Logging
import Store
import Synchronization

/// What to do when the node does not know the block from which the chain is to be read on.
extension VirtualChainProcessor {
    /// Goes on at the pruning point when no node has the cursor's block any more; a node that should have it gets time.
    ///
    /// `url` is the node that was followed when it was asked. Throws `error` while there is still hope.
    func leaveUnknown(_ cursor: ChainCursor, of url: String?, _ error: NodeError) async throws {
        let info = try await node.dagInfo()
        guard info.pruningPoint != cursor.blockHash else { throw error }
        let next = try await self.cursor(at: info.pruningPoint)
        // What two nodes say does not belong together.
        guard let url, node.status.connectedURL == url else { throw error }
        if next.daaScore > cursor.daaScore {
            try await leaveGap(from: cursor, to: next, url, error)
        } else {
            let isLower = info.virtualDAAScore < cursor.daaScore
            try await readAgain(from: next, instead: cursor, url, isLower: isLower, error)
        }
        forgetUnknownCursor()
    }

    /// Another node, or the same one after a restart, gets its own time.
    func forgetUnknownCursor() { status.update { $0.unknownCursor = nil } }

    private func leaveGap(
        from cursor: ChainCursor, to next: ChainCursor, _ url: String, _ error: NodeError
    ) async throws {
        let (nodes, time) = (node.status.nodes, clock.now())
        let isLost = status.prunedCursor.withLock { $0.isLost(cursor.blockHash, to: url, of: nodes, now: time) }
        guard isLost else {
            node.leave(url, NodeError(.unusable, "the node has pruned the block to go on from: \(error.message)"))
            throw error
        }
        let gap = try await store.history.leaveGap(from: cursor, to: next, now: time)
        show(gap)
        // What lies between is lost: say so loudly (kaspad-grpc.md).
        logger.error(
            "indexer.chain.gap",
            metadata: [
                "from_daa_score": "\(gap.fromDAAScore)", "to_daa_score": "\(gap.toDAAScore)",
                "node.message": "\(error.message)",
                "consequence": "messages accepted in between may be missing; they are neither stored nor pushed",
            ])
    }

    /// Not pruned: the node is behind us, or has never seen the branch that we were on.
    private func readAgain(
        from next: ChainCursor, instead cursor: ChainCursor, _ url: String, isLower: Bool, _ error: NodeError
    ) async throws {
        let time = clock.now()
        let before = status.snapshot.unknownCursor
        let unknown = UnknownCursor(after: before, url: url, isLower: isLower, now: time)
        status.update { $0.unknownCursor = unknown }
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

    /// One line for the whole time that the node gets.
    private func tell(_ unknown: UnknownCursor, _ cursor: ChainCursor, at time: UInt64, _ error: NodeError) {
        logger.warning(
            "indexer.chain.node_awaited",
            metadata: [
                "node.url": "\(unknown.url)", "node.message": "\(error.message)",
                "unknown_block": "\(cursor.blockHash)", "seconds_left": "\(unknown.secondsLeft(at: time))",
                "consequence": "then the chain is read again from the node's pruning point",
            ])
    }
}
