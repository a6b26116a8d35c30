/// What the machine knows of time: two clocks, passed in so that a test can drive them.
public struct MachineClock: Sendable {
    /// The wall clock, milliseconds since 1970; it may jump.
    public var wall: @Sendable () -> UInt64
    /// Milliseconds since some fixed moment of this process; they never go back, and go on while the machine sleeps.
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
