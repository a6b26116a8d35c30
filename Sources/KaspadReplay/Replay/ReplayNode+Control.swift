import GRPCCore
package import Kaspa
import Synchronization

extension ReplayNode {
    /// The number of streams that are open.
    package var sessionCount: Int { state.withLock { $0.sessions.count } }

    /// Changes what the node does wrong from now on.
    package func setFaults(_ change: (inout ReplayFaults) -> Void) {
        state.withLock { change(&$0.faults) }
    }

    /// Ends all streams at once; what they still had to be sent is lost.
    ///
    /// New ones are welcome.
    package func disconnectAll() {
        let sessions = state.withLock { $0.sessions.values.map(\.session) }
        for session in sessions {
            session.queue.abort(RPCError(code: .unavailable, message: "the node hangs up"))
        }
    }

    /// Makes a block of the present chain the pruning point: the node forgets everything below.
    ///
    /// False when it is not on the chain.
    package func prune(below hash: BlockHash) -> Bool {
        state.withLock { $0.chain.prune(below: hash) }
    }
}
