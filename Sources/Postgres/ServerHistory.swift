import Synchronization

/// What the connections of one process learn about the servers of a URL.
///
/// Each promotion of a standby begins a new timeline. A primary that was cut off or paused meanwhile may go on taking
/// writes for a while; whoever has seen its successor is not let in there any more.
package final class ServerHistory: Sendable {
    private struct State {
        var timeline: UInt64 = 0
        var first = 0
    }

    private let state = Mutex(State())

    /// Nothing has been seen.
    package init() {}

    /// The latest timeline that was seen.
    package var timeline: UInt64 { state.withLock { $0.timeline } }

    /// Which of the hosts, from 0, an attempt begins with.
    var first: Int { state.withLock { $0.first } }

    /// Begins the next attempt with the next host: the present one was not well, or another one is worth a look.
    package func passOver() { state.withLock { $0.first += 1 } }

    /// Notes a server's timeline, and that the next attempt begins with its host; false: another has replaced it.
    func admit(_ timeline: UInt64, host: Int) -> Bool {
        state.withLock { state in
            guard timeline >= state.timeline else { return false }
            state.timeline = timeline
            state.first = host
            return true
        }
    }
}
