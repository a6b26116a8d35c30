import DequeModule
import Synchronization

/// The log of requests and the log of accepted notifications, for readers and waiters.
final class Journal: Sendable {
    /// One of the two logs.
    enum Log: String {
        case notifications
        case requests
    }

    typealias Match = @Sendable (ReceivedNotification) -> Bool

    fileprivate struct Waiter {
        let log: Log
        let matches: Match
        var missing: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    fileprivate struct State {
        var accepted: BoundedLog
        var requests: BoundedLog
        var lastNumber = 0
        var nextKey: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
        var listeners: [UInt64: AsyncStream<ReceivedNotification>.Continuation] = [:]

        subscript(log: Log) -> BoundedLog { log == .notifications ? accepted : requests }
    }

    private let state: Mutex<State>

    init(capacity: Int) {
        state = Mutex(State(accepted: BoundedLog(capacity: capacity), requests: BoundedLog(capacity: capacity)))
    }

    /// Logs `entry` under the next number.
    func record(_ entry: ReceivedNotification) {
        var entry = entry
        let (satisfied, listeners) = state.withLock { state in
            state.lastNumber += 1
            entry.number = state.lastNumber
            state.requests.append(entry)
            if entry.isAccepted { state.accepted.append(entry) }
            let satisfied = state.waiters.isEmpty ? [] : state.notifyWaiters(of: entry)
            return (satisfied, state.listeners.isEmpty ? [] : Array(state.listeners.values))
        }
        for continuation in satisfied { continuation.resume() }
        for listener in listeners { listener.yield(entry) }
    }

    func entries(_ log: Log) -> [ReceivedNotification] {
        state.withLock { Array($0[log].entries) }
    }

    func total(_ log: Log) -> Int {
        state.withLock { $0[log].total }
    }

    /// Up to `limit` entries numbered above `number`, oldest first; with a token, only that device's.
    func entries(_ log: Log, after number: Int, limit: Int, token: String? = nil) -> [ReceivedNotification] {
        state.withLock { state in
            let entries = state[log].entries
            // Numbers rise, so a binary search finds the start.
            var (low, high) = (entries.startIndex, entries.endIndex)
            while low < high {
                let middle = low + (high - low) / 2
                if entries[middle].number > number { high = middle } else { low = middle + 1 }
            }
            guard let token else { return Array(entries[low...].prefix(limit)) }
            return Array(entries[low...].lazy.filter { $0.token == token }.prefix(limit))
        }
    }

    /// Empties both logs.
    ///
    /// Numbers continue.
    func forget() {
        state.withLock {
            $0.accepted.removeAll()
            $0.requests.removeAll()
        }
    }

    /// Requests as they are logged, from now on.
    ///
    /// A reader that falls behind loses the oldest.
    func stream(bufferingNewest limit: Int) -> AsyncStream<ReceivedNotification> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ReceivedNotification.self, bufferingPolicy: .bufferingNewest(limit))
        let key = state.withLock { state in
            state.nextKey += 1
            state.listeners[state.nextKey] = continuation
            return state.nextKey
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: key) }
        }
        return stream
    }

    /// Finishes the streams and fails all waiters.
    func close() {
        let (waiters, listeners) = state.withLock { state in
            defer {
                state.waiters = [:]
                state.listeners = [:]
            }
            return (Array(state.waiters.values), Array(state.listeners.values))
        }
        for waiter in waiters {
            waiter.continuation.resume(throwing: SandboxError(.stopped, "The sandbox was stopped."))
        }
        for listener in listeners { listener.finish() }
    }

    /// Returns the matching entries once `log` has `count` of them.
    func wait(
        for count: Int, in log: Log, timeout: Duration, where matches: @escaping Match
    ) async throws -> [ReceivedNotification] {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.suspend(until: count, in: log, where: matches) }
            group.addTask {
                try await Task.sleep(for: timeout)
                let found = self.entries(log).count(where: matches)
                throw SandboxError(
                    .timeout, "\(found) of \(count) expected \(log.rawValue) arrived within \(timeout).")
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        return entries(log).filter(matches)
    }

    private func suspend(until count: Int, in log: Log, where matches: @escaping Match) async throws {
        let key = state.withLock { state in
            state.nextKey += 1
            return state.nextKey
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let verdict: Result<Void, any Error>? = state.withLock { state in
                    // A cancellation before the waiter was stored found no waiter to resume.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    let missing = count - state[log].entries.count(where: matches)
                    if missing <= 0 { return .success(()) }
                    state.waiters[key] = Waiter(
                        log: log, matches: matches, missing: missing, continuation: continuation)
                    return nil
                }
                if let verdict { continuation.resume(with: verdict) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: key) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }
}

extension Journal.State {
    fileprivate mutating func notifyWaiters(
        of entry: ReceivedNotification
    ) -> [CheckedContinuation<Void, any Error>] {
        var satisfied: [CheckedContinuation<Void, any Error>] = []
        for (key, waiter) in waiters where waiter.log == .requests || entry.isAccepted {
            guard waiter.matches(entry) else { continue }
            if waiter.missing <= 1 {
                satisfied.append(waiter.continuation)
                waiters[key] = nil
            } else {
                waiters[key]?.missing -= 1
            }
        }
        return satisfied
    }
}
