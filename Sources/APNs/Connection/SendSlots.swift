import DequeModule
import Synchronization

/// The right to be inside the client: a fixed number, given first come, first served.
///
/// Who finds none free is suspended, so a full client slows its callers down and drops nothing.
final class SendSlots: Sendable {
    /// How an ``acquire()`` ended; only `granted` obliges to a ``release()``.
    enum Entry: Sendable { case granted, cancelled, closed }

    private struct State {
        var free: Int
        var isClosed = false
        var nextWaiter: UInt64 = 0
        /// In order; one whose continuation is gone was cancelled.
        var order = Deque<UInt64>()
        var continuations: [UInt64: CheckedContinuation<Entry, Never>] = [:]
        /// Cancelled before they had begun to wait.
        var cancelledEarly: Set<UInt64> = []

        /// Whether there was a free slot; whoever waits already goes first.
        mutating func takeFree() -> Bool {
            guard free > 0, continuations.isEmpty else { return false }
            free -= 1
            return true
        }

        mutating func nextInLine() -> CheckedContinuation<Entry, Never>? {
            while let waiter = order.popFirst() {
                if let continuation = continuations.removeValue(forKey: waiter) { return continuation }
            }
            return nil
        }
    }

    private let state: Mutex<State>

    init(count: Int) { state = Mutex(State(free: count)) }

    /// Waits for a slot, for the task's cancellation, or for ``close()``.
    func acquire() async -> Entry {
        let (waiter, entry) = state.withLock { state -> (UInt64, Entry?) in
            state.nextWaiter += 1
            if state.isClosed { return (state.nextWaiter, .closed) }
            return (state.nextWaiter, state.takeFree() ? .granted : nil)
        }
        if let entry { return entry }
        return await wait(as: waiter)
    }

    /// Takes a slot if that needs no waiting; true obliges to a ``release()``.
    func acquireAtOnce() -> Bool {
        state.withLock { state in !state.isClosed && state.takeFree() }
    }

    private func wait(as waiter: UInt64) async -> Entry {
        defer { state.withLock { _ = $0.cancelledEarly.remove(waiter) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let entry = state.withLock { state -> Entry? in
                    if state.isClosed { return .closed }
                    if state.cancelledEarly.contains(waiter) { return .cancelled }
                    if state.takeFree() { return .granted }
                    state.order.append(waiter)
                    state.continuations[waiter] = continuation
                    return nil
                }
                if let entry { continuation.resume(returning: entry) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let continuation = state.continuations.removeValue(forKey: waiter)
                if continuation == nil { state.cancelledEarly.insert(waiter) }
                return continuation
            }
            continuation?.resume(returning: .cancelled)
        }
    }

    /// Gives a granted slot back, to the one who has waited longest.
    func release() {
        let continuation = state.withLock { state in
            let next = state.nextInLine()
            if next == nil { state.free += 1 }
            return next
        }
        continuation?.resume(returning: .granted)
    }

    /// Sends everyone who waits away, and whoever comes later.
    func close() {
        let continuations = state.withLock { state in
            state.isClosed = true
            defer { (state.order, state.continuations) = ([], [:]) }
            return state.order.compactMap { state.continuations[$0] }
        }
        for continuation in continuations { continuation.resume(returning: .closed) }
    }
}
