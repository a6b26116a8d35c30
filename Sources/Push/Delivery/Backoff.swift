/// Exponential back-off with full jitter, from 1 s doubling to 15 min (push.md).
struct Backoff {
    /// Milliseconds.
    static let base: UInt64 = 1_000
    static let ceiling: UInt64 = 900_000

    /// The pause before the attempt after `attempts` failed ones, in milliseconds; `random` is in 0 ..< 1.
    static func delay(attempts: UInt32, random: Double) -> UInt64 {
        // 2^10 seconds is beyond the ceiling already.
        let window = min(ceiling, base << UInt64(min(attempts, 10)))
        return UInt64(Double(window) * min(max(random, 0), 1))
    }
}
