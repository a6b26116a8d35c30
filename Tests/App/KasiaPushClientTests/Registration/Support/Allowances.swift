@testable import KasiaPushClient

/// Token buckets, as the service's `TokenBuckets`.
struct Allowances {
    private var buckets: [String: (left: Double, at: Int64)] = [:]

    mutating func take(_ name: String, perMinute: Int, now: Int64) throws(IndexerError) {
        let burst = Double(perMinute)
        let bucket = buckets[name] ?? (burst, now)
        let left = min(burst, bucket.left + Double(now - bucket.at) / 60_000 * burst)
        buckets[name] = (left >= 1 ? left - 1 : left, now)
        guard left < 1 else { return }
        let seconds = max(1, Int(((1 - left) * 60 / burst).rounded(.up)))
        throw .refusal(429, .tooManyRequests, "too many: try again in \(seconds) s", retryAfter: .seconds(seconds))
    }
}
