/// How many observations fell into each bucket of a histogram.
struct BucketCounts: Sendable, Equatable {
    /// Upper bounds, ascending.
    var bounds: [Double] = []
    /// One for each bound, and a last one for what is above all of them.
    var counts: [UInt64] = []

    var total: UInt64 { counts.reduce(0, &+) }

    /// What came since `older`; all of it if `older` is of other buckets or of a life before.
    func since(_ older: BucketCounts) -> BucketCounts {
        guard older.bounds == bounds, zip(counts, older.counts).allSatisfy({ $0 >= $1 }) else { return self }
        return BucketCounts(bounds: bounds, counts: zip(counts, older.counts).map { $0 - $1 })
    }

    mutating func add(_ other: BucketCounts) {
        guard !counts.isEmpty else { return self = other }
        guard other.bounds == bounds else { return }
        for index in counts.indices { counts[index] &+= other.counts[index] }
    }

    /// The value that a part of the observations, 0 to 1, does not exceed; nil without observations.
    ///
    /// As Prometheus' `histogram_quantile`: evenly spread within a bucket, the highest bound for what is above it.
    func quantile(_ part: Double) -> Double? {
        let total = Double(total)
        guard total > 0, let highest = bounds.last else { return nil }
        let rank = min(max(part, 0), 1) * total
        var below = 0.0
        for (index, bound) in bounds.enumerated() {
            let count = Double(counts[index])
            if count > 0, below + count >= rank {
                let lower = index == 0 ? 0 : bounds[index - 1]
                return lower + (bound - lower) * max(0, rank - below) / count
            }
            below += count
        }
        return highest
    }
}
