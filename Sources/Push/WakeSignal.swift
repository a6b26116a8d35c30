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
    package func wait(atMost limit: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            group.addTask { try? await sleep(limit) }
            await group.next()
            group.cancelAll()
        }
    }
}
