import Store
import Synchronization

/// What the writer knows of the server, readable from any thread.
final class ServerState: Sendable {
    /// What the writer does at the moment, for changes that ask whether there is trouble while they run.
    enum Attempt {
        /// There is a connection, whatever was said before.
        case first
        /// It was taken in before, and is not refused now.
        case again
    }

    @TaskLocal static var attempt: Attempt?

    private struct State {
        /// Why nothing can be written, and since when.
        var lost: (error: StoreError, since: ContinuousClock.Instant)?
        var lowSpace: (error: StoreError, until: ContinuousClock.Instant)?
        /// Why nothing is written any more.
        var failure: StoreError?
    }

    private let times: ServerTimes
    private let state = Mutex(State())
    private let writes: Atomic<UInt64>
    private let mayLose = Atomic(false)
    private let closed = Atomic(false)

    /// `lastWrite` is the number of the last transaction before.
    init(lastWrite: UInt64, _ times: ServerTimes) {
        self.times = times
        writes = Atomic(lastWrite)
    }

    /// Grows with every transaction, also with one that is made again under a lower number.
    var lastWrite: UInt64 { writes.load(ordering: .acquiring) }

    /// Whether something is committed that a crash of the server would lose.
    var hasUnsafe: Bool { mayLose.load(ordering: .acquiring) }

    /// Whether the store is closed: nobody waits for the server any more.
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    func close() { closed.store(true, ordering: .releasing) }

    func noteWrite() { writes.add(1, ordering: .acquiringAndReleasing) }

    func set(hasUnsafe: Bool) { mayLose.store(hasUnsafe, ordering: .releasing) }

    /// Why nothing is written any more until a restart; nil while it is not so.
    var failure: StoreError? { state.withLock { $0.failure } }

    /// Why changes wait, or are refused; nil while all is well.
    var trouble: StoreError? {
        state.withLock { state in
            if let until = state.lowSpace?.until, ContinuousClock.now >= until { state.lowSpace = nil }
            return switch ServerState.attempt {
            case .again: state.failure
            case .first: state.failure ?? state.lowSpace?.error
            case nil: state.failure ?? state.lost?.error ?? state.lowSpace?.error
            }
        }
    }

    var isLostForLong: Bool {
        state.withLock { state in
            state.lost.map { ContinuousClock.now - $0.since >= times.patience } ?? false
        }
    }

    func noteSuccess() {
        state.withLock { state in
            state.lost = nil
            state.lowSpace = nil
        }
    }

    /// Notes why a transaction failed; whether the same may succeed when it is tried again.
    func passes(_ error: StoreError) -> Bool {
        state.withLock { state in
            switch error.code {
            case .unavailable:
                state.lost = (error, state.lost?.since ?? .now)
                return true
            case .lowSpace:
                state.lowSpace = (error, .now + times.spaceCheck)
                return false
            case .locked:
                state.failure = StoreError(
                    .stopped, "nothing is written any more: \(error.message). All that was acknowledged is kept.")
                return false
            default: return false
            }
        }
    }
}
