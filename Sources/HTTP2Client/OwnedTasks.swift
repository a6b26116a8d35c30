import Synchronization

/// Work that begins outside of every task, as in the callback of a connection's thread, and that the task of ``run()``
/// owns.
///
/// Whoever adds work bounds it.
package final class OwnedTasks: Sendable {
    package typealias Work = @Sendable () async -> Void

    private struct State {
        var waiting: [Work] = []
        var isClosed = false
        var runner: CheckedContinuation<Void, Never>?

        mutating func takeRunner() -> CheckedContinuation<Void, Never>? {
            defer { runner = nil }
            return runner
        }
    }

    private let state = Mutex(State())

    /// Nothing to do yet.
    package init() {}

    /// Has the work done by ``run()``, beside what else it does; false once that is over.
    package func add(_ work: @escaping Work) -> Bool {
        let (isTaken, runner) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard !state.isClosed else { return (false, nil) }
            state.waiting.append(work)
            return (true, state.takeRunner())
        }
        runner?.resume()
        return isTaken
    }

    /// Takes nothing more; ``run()`` returns when what there is has been done.
    package func close() {
        let runner = state.withLock { state in
            state.isClosed = true
            return state.takeRunner()
        }
        runner?.resume()
    }

    /// Does what is added, each in a child task, until ``close()``, cancelled or not; for one runner.
    package func run() async {
        await withDiscardingTaskGroup { group in
            while let all = await next() {
                for work in all { group.addTask { await work() } }
            }
        }
    }

    /// What was added since the last call; nil once there will be nothing more.
    private func next() async -> [Work]? {
        await withCheckedContinuation { continuation in
            let mayGoOn = state.withLock { state in
                guard state.waiting.isEmpty, !state.isClosed else { return true }
                state.runner = continuation
                return false
            }
            if mayGoOn { continuation.resume() }
        }
        return state.withLock { state in
            guard !state.waiting.isEmpty else { return nil }
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
