import Store
import Synchronization

/// What the writer knows of the server, readable from any thread.
final class ServerState: Sendable {
    /// After so long without a server, registrations are refused until it is back.
    private static let patience: Duration = .seconds(10)
    /// So long after the server had no space, it is tried again.
    private static let spaceCheck: Duration = .seconds(5)

    private struct State {
        /// Why nothing can be written, and since when.
        var lost: (error: StoreError, since: ContinuousClock.Instant)?
        var lowSpace: (error: StoreError, until: ContinuousClock.Instant)?
        /// Why nothing is written any more.
        var failure: StoreError?
    }

    private let state = Mutex(State())
    private let write = Atomic<UInt64>(0)
    private let mayLose = Atomic(false)

    init(lastWrite: UInt64) { write.store(lastWrite, ordering: .releasing) }

    /// The number of the last transaction.
    var lastWrite: UInt64 { write.load(ordering: .acquiring) }

    /// Whether something is committed that a crash of the server would lose.
    var hasUnsafe: Bool { mayLose.load(ordering: .acquiring) }

    func set(lastWrite: UInt64) { write.store(lastWrite, ordering: .releasing) }

    func set(hasUnsafe: Bool) { mayLose.store(hasUnsafe, ordering: .releasing) }

    /// Why nothing is written any more until a restart; nil while it is not so.
    var failure: StoreError? { state.withLock { $0.failure } }

    /// Why changes wait, or are refused; nil while all is well.
    var trouble: StoreError? {
        state.withLock { state in
            if let until = state.lowSpace?.until, ContinuousClock.now >= until { state.lowSpace = nil }
            return state.failure ?? state.lost?.error ?? state.lowSpace?.error
        }
    }

    var isLostForLong: Bool {
        state.withLock { state in
            state.lost.map { ContinuousClock.now - $0.since >= ServerState.patience } ?? false
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
                state.lowSpace = (error, .now + ServerState.spaceCheck)
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
