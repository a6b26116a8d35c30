import JSON

/// A metric's values at one moment.
struct MetricSnapshot: Sendable {
    /// One series with its value.
    struct Sample: Sendable {
        let labels: SeriesLabels
        let value: Value
    }

    /// A number, or a histogram with the bounds of its buckets.
    enum Value: Sendable {
        case number(Double)
        case histogram(HistogramSeries.Snapshot, bounds: [Double])
    }

    let name: String
    let kind: MetricKind
    let help: String?
    /// Sorted by labels.
    let samples: [Sample]

    init(_ family: MetricFamily) {
        name = family.name
        kind = family.kind
        help = family.help
        samples = family.series.sorted { $0.key < $1.key }.map { labels, series in
            switch series {
            case .scalar(let series): Sample(labels: labels, value: .number(series.value))
            case .histogram(let series):
                Sample(labels: labels, value: .histogram(series.snapshot, bounds: series.bounds))
            }
        }
    }
}

extension HistogramSeries.Snapshot {
    /// The cumulative counts of both formats: each bucket includes the smaller ones, the last includes all.
    func cumulativeCounts(bounds: [Double]) -> [(bound: Double, count: UInt64)] {
        var total: UInt64 = 0
        return zip(bounds + [.infinity], counts).map { bound, count in
            total &+= count
            return (bound, total)
        }
    }
}

extension Double {
    /// The number in the exposition format: whole ones without a fraction, `NaN`, `+Inf`, `-Inf`.
    var expositionText: String {
        if isNaN { return "NaN" }
        if isInfinite { return self > 0 ? "+Inf" : "-Inf" }
        return decimalText
    }
}
