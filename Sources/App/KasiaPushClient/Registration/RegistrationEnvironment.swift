import Foundation

/// Time and chance for `RegistrationManager`; tests bring their own.
public struct RegistrationEnvironment: Sendable {
    /// Milliseconds since 1970 by the device's clock, which may be wrong and may be set back.
    public var now: @Sendable () -> Int64
    /// Waits; ends at once when the task is cancelled.
    public var sleep: @Sendable (Duration) async -> Void
    /// A random number from 0 to 1, which spreads the pauses of many devices.
    public var chance: @Sendable () -> Double

    /// Takes all three.
    public init(
        now: @escaping @Sendable () -> Int64, sleep: @escaping @Sendable (Duration) async -> Void,
        chance: @escaping @Sendable () -> Double
    ) {
        self.now = now
        self.sleep = sleep
        self.chance = chance
    }

    /// The system's clock and random numbers.
    public static let system = RegistrationEnvironment(
        now: { Int64(Date().timeIntervalSince1970 * 1_000) },
        sleep: { try? await Task.sleep(for: $0) },
        chance: { .random(in: 0...1) })
}
