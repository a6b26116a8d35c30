import Metrics
import Synchronization

/// The metric and labels of a series, for removing it.
struct SeriesIdentity: Hashable, Sendable {
    /// The name of its metric.
    let metric: String
    let labels: SeriesLabels
    /// False for a series that instruments share (`other`), that must always appear, or that is in no metric.
    let isRemovable: Bool
}

/// One line, or for a histogram one block of lines, of the exposition.
enum MetricSeries: Sendable {
    case scalar(ScalarSeries)
    case histogram(HistogramSeries)

    /// The object that instruments hold.
    var handler: AnyObject {
        switch self {
        case .scalar(let series): series
        case .histogram(let series): series
        }
    }
}

/// A number: the handler of counters, gauges and meters alike.
///
/// One atomic word holds the bits of a `Double`, as Prometheus itself does: whole numbers are exact up to 2^53.
/// An update is one compare-and-exchange without a lock.
final class ScalarSeries: CounterHandler, FloatingPointCounterHandler, RecorderHandler, MeterHandler {
    let identity: SeriesIdentity
    private let isMonotonic: Bool
    private let bits = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - identity: The metric and labels of the series.
    ///   - isMonotonic: Whether negative increments are ignored, as for a counter.
    init(identity: SeriesIdentity, isMonotonic: Bool) {
        self.identity = identity
        self.isMonotonic = isMonotonic
    }

    var value: Double {
        Double(bitPattern: bits.load(ordering: .relaxed))
    }

    func increment(by amount: Int64) {
        add(Double(amount))
    }

    func increment(by amount: Double) {
        add(amount)
    }

    func decrement(by amount: Double) {
        add(-amount)
    }

    func set(_ value: Int64) {
        set(Double(value))
    }

    func set(_ value: Double) {
        bits.store(value.bitPattern, ordering: .relaxed)
    }

    func record(_ value: Int64) {
        set(Double(value))
    }

    func record(_ value: Double) {
        set(value)
    }

    func reset() {
        set(0.0)
    }

    /// Ignores an amount that is not finite, which would spoil the value for good.
    private func add(_ amount: Double) {
        guard amount.isFinite, amount > 0 || !isMonotonic else { return }
        var current = bits.load(ordering: .relaxed)
        while true {
            let sum = Double(bitPattern: current) + amount
            let (exchanged, found) = bits.weakCompareExchange(
                expected: current, desired: sum.bitPattern, ordering: .relaxed)
            if exchanged { return }
            current = found
        }
    }
}

/// A histogram: the handler of aggregating recorders and of timers.
///
/// It has a lock, not an atomic for each bucket, so that a scrape never sees a count without its sum.
final class HistogramSeries: RecorderHandler, TimerHandler {
    /// The observations so far.
    struct Snapshot: Sendable, Equatable {
        /// The observations in each bucket alone, not cumulative.
        ///
        /// The last entry is for those above every bound.
        var counts: [UInt64]
        var sum = 0.0

        var count: UInt64 { counts.reduce(0, &+) }
    }

    let identity: SeriesIdentity
    let bounds: [Double]
    private let state: Mutex<Snapshot>

    /// - Parameters:
    ///   - identity: The metric and labels of the series.
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

    /// Ignores a value that is not finite, which would spoil the sum for good.
    func record(_ value: Double) {
        guard value.isFinite else { return }
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock {
            $0.counts[bucket] &+= 1
            $0.sum += value
        }
    }

    /// Records seconds.
    ///
    /// A negative duration counts as zero.
    func recordNanoseconds(_ duration: Int64) {
        record(Double(max(0, duration)) / 1_000_000_000)
    }
}
