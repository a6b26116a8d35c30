import Synchronization

/// Limits how much time on the reading threads each client gets: an allowance that fills again; memory is bounded.
///
/// A read is charged afterwards, by the time it took: a client with some allowance left may read, and waits afterwards
/// for what it took too much.
final class ReadTimeLimiter: Sendable {
    /// An app that starts asks some 100 lists at once, of a millisecond or a few each: enough for ten or more of them
    /// behind one address in the same moment.
    static let burst = Duration.seconds(5)
    /// What comes back in a second: an eighth of what the two threads have.
    static let perSecond = Duration.milliseconds(250)
    /// What the cheapest read counts.
    static let leastPerRead = Duration.milliseconds(1)
    /// Clients remembered; when there are more, those with a full allowance are forgotten, and of the others the older
    /// half.
    static let capacity = 50_000

    private struct Bucket: FillingBucket {
        var left: Duration
        var filledAt: ContinuousClock.Instant
    }

    private let buckets = Mutex<[[UInt8]: Bucket]>([:])

    /// How long until the client may read again; nil if it may now.
    func wait(_ client: [UInt8], now: ContinuousClock.Instant) -> Duration? {
        buckets.withLock { buckets in
            guard let bucket = buckets[client] else { return nil }
            let left = ReadTimeLimiter.left(bucket, now)
            guard left <= .zero else { return nil }
            return (ReadTimeLimiter.leastPerRead - left) / (ReadTimeLimiter.perSecond / .seconds(1))
        }
    }

    /// Counts a read that took `time`.
    ///
    /// The debt of a client is at most `burst`.
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
