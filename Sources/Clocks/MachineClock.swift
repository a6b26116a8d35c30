#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The machine's two clocks, passed in so that tests can set them.
public struct MachineClock: Sendable {
    /// The wall clock, milliseconds since 1970.
    ///
    /// It may jump.
    public var wall: @Sendable () -> UInt64
    /// Milliseconds since a fixed moment of this process.
    ///
    /// They never go back, and continue while the machine sleeps.
    public var uptime: @Sendable () -> UInt64

    /// Takes the two functions; any task may call them.
    public init(wall: @escaping @Sendable () -> UInt64, uptime: @escaping @Sendable () -> UInt64) {
        self.wall = wall
        self.uptime = uptime
    }

    /// The machine's clocks.
    public static let system: MachineClock = {
        let start = ContinuousClock.now
        return MachineClock(
            wall: { SystemTime.milliseconds() },
            uptime: {
                let (seconds, attoseconds) = (ContinuousClock.now - start).components
                return UInt64(max(0, seconds)) * 1_000 + UInt64(max(0, attoseconds) / 1_000_000_000_000_000)
            })
    }()
}

/// The wall clock without Foundation.
package enum SystemTime {
    /// Milliseconds since 1970.
    package static func milliseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec / 1_000_000)
    }
}
