import Carriers
import Store
import Synchronization

/// The carriers' answers, until the dispatcher's loop takes them.
final class AnswerQueue: Sendable {
    struct Answer {
        let key: ScheduleKey
        let delivery: Delivery
        /// Whether it came from a destination that is not the operator's own.
        let isFromElsewhere: Bool
        /// Whether the carrier had never accepted the device's token when the notification was sent.
        let isOnProbation: Bool
        let outcome: SendOutcome
        /// When it was sent, milliseconds since 1970.
        let sentAt: UInt64
        /// The time from sending to the answer.
        let time: Duration
    }

    private struct State {
        var answers: [Answer] = []
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Adds an answer.
    ///
    /// Returns whether it is the first since the last `take`: then the loop must be woken.
    func add(_ answer: Answer) -> Bool {
        let (isFirst, waiting) = state.withLock { state in
            defer { state.waiting = nil }
            state.answers.append(answer)
            return (state.answers.count == 1, state.waiting)
        }
        waiting?.resume()
        return isFirst
    }

    /// Removes and returns all answers, in the order in which they came.
    func take() -> [Answer] {
        state.withLock { state in
            defer { state.answers = [] }
            return state.answers
        }
    }

    /// The number of answers that were not taken.
    var count: Int { state.withLock { $0.answers.count } }

    /// Whether `wait` is waiting.
    var isAwaited: Bool { state.withLock { $0.waiting != nil } }

    /// Returns when there is an answer, even if cancelled.
    ///
    /// There must be only one waiter.
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
