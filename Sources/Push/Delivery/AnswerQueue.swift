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
        /// How many the loop waits for at the moment; nil: for none in particular.
        var enough: Int?
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let gathered = WakeSignal()

    /// Adds an answer.
    ///
    /// Returns whether it is the first since the last `take`: then the loop must be woken.
    func add(_ answer: Answer) -> Bool {
        let (isFirst, isEnough, waiting) = state.withLock { state in
            defer { state.waiting = nil }
            state.answers.append(answer)
            return (state.answers.count == 1, state.answers.count == state.enough, state.waiting)
        }
        if isEnough { gathered.signal() }
        waiting?.resume()
        return isFirst
    }

    /// How long the loop waits for more answers.
    static let patience = Duration.milliseconds(1)

    /// Returns when there are `enough` answers, after some time, or at `endGathering`; at once if there is none.
    func gather(_ enough: Int, atMost limit: Duration = AnswerQueue.patience) async {
        let isWorthIt = state.withLock { state in
            let isWorthIt = (1..<enough).contains(state.answers.count)
            state.enough = isWorthIt ? enough : nil
            return isWorthIt
        }
        guard isWorthIt else { return }
        await gathered.wait(atMost: limit) { try await Task.sleep(for: $0) }
    }

    /// Whether the loop waits, or did before it took what had come.
    var isGathering: Bool { state.withLock { $0.enough != nil } }

    /// Ends the wait for more answers: there is other work.
    func endGathering() { gathered.signal() }

    /// Removes and returns all answers, in the order in which they came.
    func take() -> [Answer] {
        state.withLock { state in
            defer { (state.answers, state.enough) = ([], nil) }
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
