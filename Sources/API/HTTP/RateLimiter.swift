import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// A token bucket for each client address; an address is a whole IPv4 address or an IPv6 /64.
struct RateLimiter: Sendable {
    private let buckets: TokenBuckets?
    private let proxies: TrustedProxies
    private let now: @Sendable () -> ContinuousClock.Instant

    /// `perMinute` 0 is no limit.
    init(
        perMinute: Int, trustedProxies: [AddressBlock], now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.now = now
        buckets = perMinute > 0 ? TokenBuckets(perMinute: perMinute) : nil
        proxies = TrustedProxies(trustedProxies)
    }

    /// Errors: 429 with `Retry-After` when the address has used up its allowance.
    func admit(_ request: Request, _ context: APIRequestContext) throws {
        guard let buckets, let remote = context.remoteAddress?.ipAddress.flatMap({ IPAddress($0) }) else { return }
        let client = proxies.client(remote: remote, forwardedFor: request.headers[.xForwardedFor])
        guard let wait = buckets.take(client.limitKey, now: now()) else { return }
        throw APIError.tooMany("changes from this address", wait: wait)
    }
}

extension APIError {
    /// 429 with the time after which there is one more; `what` completes "too many".
    static func tooMany(_ what: String, wait: Duration) -> APIError {
        let seconds = max(1, Int((wait / .seconds(1)).rounded(.up)))
        return APIError(
            status: .tooManyRequests, message: "too many \(what): try again in \(seconds) s",
            headers: [.retryAfter: String(seconds)])
    }
}

/// Buckets of tokens that fill with time; the memory is bounded.
final class TokenBuckets: Sendable {
    /// Addresses remembered; when there are more, full buckets are forgotten, and of the others the older half.
    static let capacity = 50_000

    private struct Bucket {
        var tokens: Double
        var filledAt: ContinuousClock.Instant
    }

    private let perSecond: Double
    private let burst: Double
    private let buckets = Mutex<[[UInt8]: Bucket]>([:])

    init(perMinute: Int) {
        burst = Double(perMinute)
        perSecond = Double(perMinute) / 60
    }

    /// Takes one token; nil if there was one, else how long until the next.
    func take(_ key: [UInt8], now: ContinuousClock.Instant) -> Duration? {
        buckets.withLock { buckets in
            if buckets[key] == nil, buckets.count >= TokenBuckets.capacity { forget(in: &buckets, now: now) }
            var bucket = buckets[key] ?? Bucket(tokens: burst, filledAt: now)
            bucket.tokens = tokens(bucket, now)
            bucket.filledAt = now
            let isAdmitted = bucket.tokens >= 1
            if isAdmitted { bucket.tokens -= 1 }
            buckets[key] = bucket
            return isAdmitted ? nil : .seconds((1 - bucket.tokens) / perSecond)
        }
    }

    var count: Int { buckets.withLock { $0.count } }

    private func tokens(_ bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
        min(burst, bucket.tokens + (now - bucket.filledAt) / .seconds(1) * perSecond)
    }

    /// Makes room for at least half the capacity, so that it happens rarely, whatever comes.
    private func forget(in buckets: inout [[UInt8]: Bucket], now: ContinuousClock.Instant) {
        buckets = buckets.filter { tokens($0.value, now) < burst }
        guard buckets.count > TokenBuckets.capacity / 2 else { return }
        let newest = buckets.sorted { $0.value.filledAt > $1.value.filledAt }.prefix(TokenBuckets.capacity / 2)
        buckets = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }
}
