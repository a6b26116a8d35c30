import Metrics
import Synchronization

/// A number: the handler of counters, gauges and meters alike.
///
/// One atomic word holds the bits of a `Double`, as Prometheus itself does: whole numbers are exact up to 2^53.
/// An update is one compare-and-exchange without a lock.
final class ScalarSeries: CounterHandler, FloatingPointCounterHandler, RecorderHandler, MeterHandler {
    let identity: SeriesIdentity
    private let isMonotonic: Bool
    private let bits = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - identity: Where the series hangs.
    ///   - isMonotonic: Whether a negative increment is ignored, as a counter's must be.
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

    /// An amount that is not finite is ignored: it could never be taken back.
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
