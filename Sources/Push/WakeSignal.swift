import Synchronization

/// Wakes one waiting loop; signals that come while it works are remembered as one.
///
/// It is made for one waiter: a second one sends the first on its way.
package final class WakeSignal: Sendable {
    private enum State {
        case quiet
        case signalled
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.quiet)

    package init() {}

    package func signal() {
        let continuation: CheckedContinuation<Void, Never>? = state.withLock { state in
            if case .waiting(let continuation) = state {
                state = .quiet
                return continuation
            }
            state = .signalled
            return nil
        }
        continuation?.resume()
    }

    /// Returns at the next signal, at once if one came since the last wait, or when the task is cancelled.
    package func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: CheckedContinuation<Void, Never>? = state.withLock { state in
                    let previous = state
                    if case .signalled = previous {
                        state = .quiet
                        return continuation
                    }
                    guard !Task.isCancelled else { return continuation }
                    state = .waiting(continuation)
                    return if case .waiting(let first) = previous { first } else { nil }
                }
                ready?.resume()
            }
        } onCancel: {
            signal()
        }
    }

    /// Like `wait()`, but no longer than `limit`.
    ///
    /// If the limit is reached just as a signal comes, the next wait may end at once. The task that sleeps is cancelled
    /// at the end and not waited for: with both in a group, a signal reached the waiter three changes of tasks later.
    package func wait(atMost limit: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) async {
        let timer = Task {
            try? await sleep(limit)
            if !Task.isCancelled { signal() }
        }
        defer { timer.cancel() }
        await wait()
    }
}
