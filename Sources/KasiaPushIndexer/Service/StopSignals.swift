import ServiceLifecycle
import Synchronization
import UnixSignals

/// SIGTERM and SIGINT, from the first service group that runs with them to the end of the process.
///
/// A group that traps signals by itself loses one that comes while it ends, before the next group traps it. So the
/// process has one listener, which is never taken down, and each group asks it.
final class StopSignals: Sendable {
    private struct State {
        var isListening = false
        var haveCome = false
        var groups: [ObjectIdentifier: ServiceGroup] = [:]
    }

    private let state = Mutex(State())

    /// Whether one has come.
    var haveCome: Bool { state.withLock { $0.haveCome } }

    /// Runs a group, and ends it in order with the first signal, also with one that has come before.
    func run(_ group: ServiceGroup) async throws {
        let isFirst = state.withLock { state in
            state.groups[ObjectIdentifier(group)] = group
            defer { state.isListening = true }
            return !state.isListening
        }
        defer { state.withLock { $0.groups[ObjectIdentifier(group)] = nil } }
        if isFirst { await listen() }
        if haveCome { await group.triggerGracefulShutdown() }
        try await group.run()
    }

    private func listen() async {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        Task {
            for await _ in signals {
                let groups = state.withLock { state in
                    state.haveCome = true
                    return state.groups.values
                }
                for group in groups { await group.triggerGracefulShutdown() }
            }
        }
    }
}
