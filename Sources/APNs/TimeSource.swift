#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The two clocks this module reads; passed in, so that a test can drive them.
public struct TimeSource: Sendable {
    /// The wall clock in UNIX seconds; it may jump.
    public var unixSeconds: @Sendable () -> UInt64
    /// Time since some fixed moment of this process; it never goes back, and goes on while the process is stopped.
    public var uptime: @Sendable () -> Duration

    /// Creates a time source out of two functions.
    public init(unixSeconds: @escaping @Sendable () -> UInt64, uptime: @escaping @Sendable () -> Duration) {
        self.unixSeconds = unixSeconds
        self.uptime = uptime
    }

    /// The machine's clocks.
    public static let system: TimeSource = {
        let start = ContinuousClock.now
        return TimeSource(
            unixSeconds: { UInt64(clamping: time(nil)) },
            uptime: { start.duration(to: .now) })
    }()
}
