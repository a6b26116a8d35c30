/// Time and chance, passed in so that a test can drive them.
public struct PushClock: Sendable {
    /// Milliseconds since 1970.
    public var now: @Sendable () -> UInt64
    /// Returns after so long; throws when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A number in 0 ..< 1.
    public var random: @Sendable () -> Double

    /// Takes the three functions; any task may call them.
    public init(
        now: @escaping @Sendable () -> UInt64, sleep: @escaping @Sendable (Duration) async throws -> Void,
        random: @escaping @Sendable () -> Double
    ) {
        self.now = now
        self.sleep = sleep
        self.random = random
    }

    /// The machine's clock and the system's random source.
    public static let system = PushClock(
        now: { SystemTime.milliseconds() },
        sleep: { try await Task.sleep(for: $0) },
        random: { Double.random(in: 0..<1) })
}
