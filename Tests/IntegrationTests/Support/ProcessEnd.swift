import Foundation
import Synchronization

/// The end of a process, to wait for without using up a processor: `Process.waitUntilExit` looks again and again.
final class ProcessEnd: Sendable {
    private struct State {
        var hasCome = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// For a process that is not started yet.
    init(of process: Process) {
        process.terminationHandler = { [self] _ in
            let waiting = state.withLock { state in
                state.hasCome = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// Returns when it has come.
    func wait() async {
        await withCheckedContinuation { continuation in
            let hasCome = state.withLock { state in
                if !state.hasCome { state.waiting.append(continuation) }
                return state.hasCome
            }
            if hasCome { continuation.resume() }
        }
    }
}
