import APNs
import Store
import Synchronization

/// What became of notifications that were sent, until the loop takes it.
final class AnswerQueue: Sendable {
    struct Answer {
        let key: ScheduleKey
        let delivery: Delivery
        /// Whether it came from the host that is not the operator's own.
        let isFromElsewhere: Bool
        /// Whether Apple had never accepted the device's token when it was asked.
        let isOnProbation: Bool
        let outcome: SendOutcome
        /// From the hand-over to the answer.
        let time: Duration
    }

    private struct State {
        var answers: [Answer] = []
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Whether it is the first since the last ones were taken: whoever takes them has to be told once.
    func add(_ answer: Answer) -> Bool {
        let (isFirst, waiting) = state.withLock { state in
            defer { state.waiting = nil }
            state.answers.append(answer)
            return (state.answers.count == 1, state.waiting)
        }
        waiting?.resume()
        return isFirst
    }

    /// All that have come, in that order.
    func take() -> [Answer] {
        state.withLock { state in
            defer { state.answers = [] }
            return state.answers
        }
    }

    /// How many have come and were not taken.
    var count: Int { state.withLock { $0.answers.count } }

    /// Whether somebody waits.
    var isAwaited: Bool { state.withLock { $0.waiting != nil } }

    /// Returns when there is one, cancelled or not; for one waiter.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.answers.isEmpty { state.waiting = continuation }
                return !state.answers.isEmpty
            }
            if isThere { continuation.resume() }
        }
    }
}
