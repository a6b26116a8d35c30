import Synchronization

/// Limits each client's time on the reading threads by an allowance that refills.
///
/// Memory is bounded. A read is charged afterwards, by the time that it took. A client with any allowance left may
/// read, and then waits until its debt is refilled.
final class ReadTimeLimiter: Sendable {
    /// The full allowance.
    ///
    /// An app that starts reads some 100 lists of a few milliseconds each, so this is enough for ten of them at one
    /// address at once.
    static let burst = Duration.seconds(5)
    /// The refill in a second: an eighth of the time of the two threads.
    static let perSecond = Duration.milliseconds(250)
    /// The least charge of a read.
    static let leastPerRead = Duration.milliseconds(1)
    /// The most clients that are remembered.
    ///
    /// Beyond it, those with a full allowance are forgotten, and the older half of the others.
    static let capacity = 50_000

    private struct Bucket: FillingBucket {
        var left: Duration
        var filledAt: ContinuousClock.Instant
    }

    private let buckets = Mutex<[[UInt8]: Bucket]>([:])

    /// The time until the client may read again; nil if it may now.
    func wait(_ client: [UInt8], now: ContinuousClock.Instant) -> Duration? {
        buckets.withLock { buckets in
            guard let bucket = buckets[client] else { return nil }
            let left = ReadTimeLimiter.left(bucket, now)
            guard left <= .zero else { return nil }
            return (ReadTimeLimiter.leastPerRead - left) / (ReadTimeLimiter.perSecond / .seconds(1))
        }
    }

    /// Charges a read that took `time`.
    ///
    /// A client's debt is at most `burst`.
    func charge(_ client: [UInt8], _ time: Duration, now: ContinuousClock.Instant) {
        buckets.withLock { buckets in
            if buckets[client] == nil, buckets.count >= ReadTimeLimiter.capacity {
                buckets.makeRoom(within: ReadTimeLimiter.capacity) {
                    ReadTimeLimiter.left($0, now) >= ReadTimeLimiter.burst
                }
            }
            let bucket = buckets[client] ?? Bucket(left: ReadTimeLimiter.burst, filledAt: now)
            let left = ReadTimeLimiter.left(bucket, now) - max(time, ReadTimeLimiter.leastPerRead)
            buckets[client] = Bucket(left: max(left, .zero - ReadTimeLimiter.burst), filledAt: now)
        }
    }

    var count: Int { buckets.withLock { $0.count } }

    private static func left(_ bucket: Bucket, _ now: ContinuousClock.Instant) -> Duration {
        let seconds = (now - bucket.filledAt) / .seconds(1)
        return min(burst, bucket.left + perSecond * max(0, min(seconds, 60)))
    }
}
