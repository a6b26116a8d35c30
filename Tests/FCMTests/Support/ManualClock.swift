import Clocks
import Synchronization

/// The machine's clocks, as a test sets them.
final class ManualClock: Sendable {
    private let state = Mutex((wall: UInt64(1_700_000_000_000), uptime: UInt64(5_000_000)))

    var machine: MachineClock {
        MachineClock(
            wall: { self.state.withLock { $0.wall } }, uptime: { self.state.withLock { $0.uptime } })
    }

    var unixSeconds: UInt64 { state.withLock { $0.wall / 1_000 } }

    /// Lets time pass, in milliseconds.
    func advance(_ milliseconds: UInt64) {
        state.withLock {
            $0.wall += milliseconds
            $0.uptime += milliseconds
        }
    }

    /// Sets the wall clock by so many seconds.
    func jump(_ seconds: Int64) {
        state.withLock { $0.wall = UInt64(max(0, Int64($0.wall) + seconds * 1_000)) }
    }
}
