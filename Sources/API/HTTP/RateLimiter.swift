import HTTPTypes
import Hummingbird
import Synchronization

/// A token bucket for each client address, and for each block of addresses that one client may well have to itself.
///
/// An address is a whole IPv4 address or an IPv6 /64. The blocks around it (IPv4 /24, IPv6 /56 and /48) have more.
struct RateLimiter: Sendable {
    /// Blocks by their length in bits, each with how many times the allowance of an address it has; the narrowest first.
    static let blocksOfIPv4 = [(bits: 32, times: 1), (bits: 24, times: 16)]
    static let blocksOfIPv6 = [(bits: 64, times: 1), (bits: 56, times: 4), (bits: 48, times: 16)]

    /// By how many times the allowance they have; nil: no limit.
    private let buckets: [Int: TokenBuckets]?
    private let proxies: TrustedProxies
    private let now: @Sendable () -> ContinuousClock.Instant

    /// `perMinute` 0 is no limit.
    init(
        perMinute: Int, trustedProxies: [AddressBlock], now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.now = now
        let times = Set((RateLimiter.blocksOfIPv4 + RateLimiter.blocksOfIPv6).map(\.times))
        let perTimes = times.map { ($0, TokenBuckets(perMinute: perMinute * $0)) }
        buckets = perMinute > 0 ? Dictionary(uniqueKeysWithValues: perTimes) : nil
        proxies = TrustedProxies(trustedProxies)
    }

    /// Errors: 429 with `Retry-After` when the address, or a block that it is in, has used up its allowance; `what`
    /// completes "too many".
    func admit(
        _ request: Request, _ context: APIRequestContext, what: String = "changes from this address"
    ) throws {
        guard let client = proxies.client(of: request, context), let wait = take(client) else { return }
        throw APIError.tooMany(what, wait: wait)
    }

    /// Takes one from the address and its blocks; nil if all had one, else how long until the next.
    ///
    /// The narrowest comes first: who has used up his own takes nothing from his neighbours.
    func take(_ client: IPAddress) -> Duration? {
        guard let buckets else { return nil }
        let time = now()
        for block in client.bytes.count == 16 ? RateLimiter.blocksOfIPv6 : RateLimiter.blocksOfIPv4 {
            let key = [UInt8(block.bits)] + client.bytes.prefix(block.bits / 8)
            if let wait = buckets[block.times]?.take(key, now: time) { return wait }
        }
        return nil
    }
}

extension Duration {
    /// In seconds, rounded up; at least 1.
    var wholeSecondsUp: Int { max(1, Int((self / .seconds(1)).rounded(.up))) }
}

extension APIError {
    /// 429 with the time after which there is one more; `what` completes "too many".
    static func tooMany(_ what: String, wait: Duration) -> APIError {
        let seconds = wait.wholeSecondsUp
        return APIError(
            status: .tooManyRequests, message: "too many \(what): try again in \(seconds) s",
            headers: [.retryAfter: String(seconds)])
    }
}

/// What one client has left, which fills with time.
protocol FillingBucket {
    /// When it was filled up to what stands in it.
    var filledAt: ContinuousClock.Instant { get }
}

extension Dictionary where Value: FillingBucket {
    /// Forgets full buckets, and of the others the older half if more than half of `capacity` are left: there is room for
    /// many then, so that it happens rarely, whatever comes.
    mutating func makeRoom(within capacity: Int, isFull: (Value) -> Bool) {
        self = filter { !isFull($0.value) }
        guard count > capacity / 2 else { return }
        let newest = sorted { $0.value.filledAt > $1.value.filledAt }.prefix(capacity / 2)
        self = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }
}

/// Buckets of tokens that fill with time; the memory is bounded.
final class TokenBuckets: Sendable {
    /// Addresses remembered; when there are more, full buckets are forgotten, and of the others the older half.
    static let capacity = 50_000

    private struct Bucket: FillingBucket {
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
            if buckets[key] == nil, buckets.count >= TokenBuckets.capacity {
                buckets.makeRoom(within: TokenBuckets.capacity) { tokens($0, now) >= burst }
            }
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
}
