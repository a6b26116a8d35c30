/// The observations in each bucket of a histogram.
struct BucketCounts: Sendable, Equatable {
    /// Upper bounds, ascending.
    var bounds: [Double] = []
    /// One count for each bound, and a last one for observations above all bounds.
    var counts: [UInt64] = []

    var total: UInt64 { counts.reduce(0, &+) }

    /// The observations since `older`, or all if `older` has other buckets or greater counts.
    func since(_ older: BucketCounts) -> BucketCounts {
        guard older.bounds == bounds, zip(counts, older.counts).allSatisfy({ $0 >= $1 }) else { return self }
        return BucketCounts(bounds: bounds, counts: zip(counts, older.counts).map { $0 - $1 })
    }

    mutating func add(_ other: BucketCounts) {
        guard !counts.isEmpty else { return self = other }
        guard other.bounds == bounds else { return }
        for index in counts.indices { counts[index] &+= other.counts[index] }
    }

    /// A quantile, 0 to 1; nil without observations.
    ///
    /// It is computed like Prometheus' `histogram_quantile`: values are spread evenly within a bucket, and the highest
    /// bound stands for all above it.
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
