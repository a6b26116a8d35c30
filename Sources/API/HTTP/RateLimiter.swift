import HTTPTypes
import Hummingbird
import Synchronization

/// Token buckets for client addresses, and for the blocks around them that one client may own.
///
/// An address is an IPv4 address or an IPv6 /64. The blocks around it (IPv4 /24, IPv6 /56 and /48) have a larger
/// allowance.
struct RateLimiter: Sendable {
    /// Prefix lengths in bits, each with its multiple of an address's allowance.
    ///
    /// The narrowest block comes first.
    static let blocksOfIPv4 = [(bits: 32, times: 1), (bits: 24, times: 16)]
    static let blocksOfIPv6 = [(bits: 64, times: 1), (bits: 56, times: 4), (bits: 48, times: 16)]

    /// The buckets by their multiple of the allowance; nil for no limit.
    private let buckets: [Int: TokenBuckets]?
    private let proxies: TrustedProxies
    private let now: @Sendable () -> ContinuousClock.Instant

    /// If `perMinute` is 0, there is no limit.
    init(
        perMinute: Int, trustedProxies: [AddressBlock], now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.now = now
        let times = Set((RateLimiter.blocksOfIPv4 + RateLimiter.blocksOfIPv6).map(\.times))
        let perTimes = times.map { ($0, TokenBuckets(perMinute: perMinute * $0)) }
        buckets = perMinute > 0 ? Dictionary(uniqueKeysWithValues: perTimes) : nil
        proxies = TrustedProxies(trustedProxies)
    }

    /// Takes one token, or throws 429 with `Retry-After` if the address or one of its blocks has none left.
    ///
    /// `what` completes "too many".
    func admit(
        _ request: Request, _ context: APIRequestContext, what: String = "changes from this address"
    ) throws {
        guard let client = proxies.client(of: request, context), let wait = take(client) else { return }
        throw APIError.tooMany(what, wait: wait)
    }

    /// Takes one token from the address and its blocks.
    ///
    /// Returns nil if all had one, else the time until the next.
    ///
    /// The narrowest comes first: a client that has used up its own allowance takes nothing from its neighbours.
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
    /// 429 with `Retry-After`.
    ///
    /// `what` completes "too many".
    static func tooMany(_ what: String, wait: Duration) -> APIError {
        let seconds = wait.wholeSecondsUp
        return APIError(
            status: .tooManyRequests, message: "too many \(what): try again in \(seconds) s",
            headers: [.retryAfter: String(seconds)])
    }
}

/// A client's allowance, which refills with time.
protocol FillingBucket {
    /// The time of its current value.
    var filledAt: ContinuousClock.Instant { get }
}

extension Dictionary where Value: FillingBucket {
    /// Forgets full buckets, and the older half of the others if they still take up more than half of `capacity`.
    ///
    /// This makes room for many new ones, so it is rarely needed.
    mutating func makeRoom(within capacity: Int, isFull: (Value) -> Bool) {
        self = filter { !isFull($0.value) }
        guard count > capacity / 2 else { return }
        let newest = sorted { $0.value.filledAt > $1.value.filledAt }.prefix(capacity / 2)
        self = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }
}

/// Token buckets by client, with bounded memory.
final class TokenBuckets: Sendable {
    /// The most buckets.
    ///
    /// Beyond it, full ones are forgotten, and the older half of the others.
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

    /// Takes one token.
    ///
    /// Returns nil if there was one, else the time until the next.
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
