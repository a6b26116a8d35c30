import DequeModule

/// The plots of the last hour, in samples of ten seconds.
///
/// A sample has the growth of counters and the quantiles of latencies since the sample before.
struct StatusHistory: Sendable {
    static let interval = Duration.seconds(10)
    /// An hour.
    static let capacity = 360

    /// The metrics at one moment.
    ///
    /// Counters count from the start.
    struct Reading: Sendable, Equatable {
        var delivered = 0.0
        /// Deliveries given up: dead and expired.
        var failed = 0.0
        var retried = 0.0
        var chainToWire = BucketCounts()
        var send = BucketCounts()
        /// Queued and in flight.
        var queue = 0.0
        /// The age of the last block applied; nil before the first.
        var lagSeconds: Double?
    }

    /// What happened in one interval.
    struct Sample: Sendable, Equatable {
        /// The end of the interval, milliseconds since 1970.
        var time: UInt64
        /// Its length.
        var seconds: Double
        var delivered: Double
        var failed: Double
        var retried: Double
        /// Seconds; nil when nothing was observed.
        var chainToWireP50: Double?
        var chainToWireP99: Double?
        var sendP50: Double?
        var sendP99: Double?
        /// At the end of the interval.
        var queue: Double
        var lagSeconds: Double?
    }

    private var previous: (reading: Reading, time: UInt64)?
    private var kept: Deque<Sample> = []

    /// Takes a reading at `time`, milliseconds since 1970, and returns the sample that it completes.
    ///
    /// nil for the first reading, and after the clock was set back.
    @discardableResult
    mutating func record(_ reading: Reading, at time: UInt64) -> Sample? {
        defer { previous = (reading, time) }
        guard let (before, start) = previous, start < time else { return nil }
        let (wire, send) = (reading.chainToWire.since(before.chainToWire), reading.send.since(before.send))
        let sample = Sample(
            time: time, seconds: Double(time - start) / 1000,
            delivered: growth(reading.delivered, before.delivered), failed: growth(reading.failed, before.failed),
            retried: growth(reading.retried, before.retried), chainToWireP50: wire.quantile(0.5),
            chainToWireP99: wire.quantile(0.99), sendP50: send.quantile(0.5), sendP99: send.quantile(0.99),
            queue: reading.queue, lagSeconds: reading.lagSeconds)
        if kept.count == StatusHistory.capacity { kept.removeFirst() }
        kept.append(sample)
        return sample
    }

    /// Oldest first; at most `capacity`.
    var samples: [Sample] { Array(kept) }

    /// Deliveries a second over the last minute; nil before the first sample.
    var deliveredPerSecond: Double? {
        let minute = samples.suffix(6)
        let seconds = minute.reduce(0) { $0 + $1.seconds }
        return seconds > 0 ? minute.reduce(0) { $0 + $1.delivered } / seconds : nil
    }

    /// The growth of a counter.
    ///
    /// A counter that was recreated starts at 0.
    private func growth(_ now: Double, _ before: Double) -> Double { now >= before ? now - before : now }
}

extension StatusHistory.Reading {
    init(_ metrics: MetricsReading, lagSeconds: Double?) {
        func deliveries(_ outcome: String) -> Double {
            metrics.sum("kasia_push_deliveries_total", ("outcome", outcome))
        }
        delivered = deliveries("delivered")
        failed = deliveries("dead") + deliveries("expired")
        retried = deliveries("retried")
        chainToWire = metrics.buckets("kasia_push_chain_to_wire_seconds")
        send = metrics.buckets("kasia_push_send_seconds")
        queue = metrics.sum("kasia_push_queue_depth")
        self.lagSeconds = lagSeconds
    }
}
