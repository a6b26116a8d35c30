import Metrics
import Synchronization

/// Observations counted in buckets: the handler of aggregating recorders and of timers.
///
/// A lock, not one atomic a bucket: so a scrape never sees a count without its sum.
final class HistogramSeries: RecorderHandler, TimerHandler {
    /// What was observed so far.
    struct Snapshot: Sendable, Equatable {
        /// Observations at most as large as the bound of the same index, and not counted in a smaller bucket; the
        /// last entry counts what is above every bound.
        var counts: [UInt64]
        var sum = 0.0

        var count: UInt64 { counts.reduce(0, &+) }
    }

    let identity: SeriesIdentity
    let bounds: [Double]
    private let state: Mutex<Snapshot>

    /// - Parameters:
    ///   - identity: Where the series hangs.
    ///   - bounds: The buckets' upper bounds, ascending.
    init(identity: SeriesIdentity, bounds: [Double]) {
        self.identity = identity
        self.bounds = bounds
        self.state = Mutex(Snapshot(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var snapshot: Snapshot {
        state.withLock { $0 }
    }

    func record(_ value: Int64) {
        record(Double(value))
    }

    /// A value that is not finite is ignored: it would spoil the sum for good.
    func record(_ value: Double) {
        guard value.isFinite else { return }
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock {
            $0.counts[bucket] &+= 1
            $0.sum += value
        }
    }

    /// Timers count in seconds; a clock that ran backwards counts as no time.
    func recordNanoseconds(_ duration: Int64) {
        record(Double(max(0, duration)) / 1_000_000_000)
    }
}
