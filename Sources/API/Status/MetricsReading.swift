/// The metrics at one moment, by name.
struct MetricsReading: Sendable {
    /// A number with the values of its labels.
    struct Series: Sendable {
        let labels: [String: String]
        let value: Double
    }

    private let metrics: [String: MetricSnapshot]

    init(_ registry: PrometheusRegistry) {
        metrics = Dictionary(registry.snapshot.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// All series of a counter or a gauge.
    func series(_ name: String) -> [Series] {
        (metrics[name]?.samples ?? []).compactMap { sample in
            guard case .number(let value) = sample.value else { return nil }
            let labels = sample.labels.labels.map { ($0.name, $0.value) }
            return Series(labels: Dictionary(labels, uniquingKeysWith: { first, _ in first }), value: value)
        }
    }

    /// The series that has this label, or the only one; nil before its first value.
    func value(_ name: String, _ label: (name: String, value: String)? = nil) -> Double? {
        series(name).first { series in label.map { series.labels[$0.name] == $0.value } ?? true }?.value
    }

    /// The sum of the series that have this label, or of all, as each shard has one; nil before the first value.
    func total(_ name: String, _ label: (name: String, value: String)? = nil) -> Double? {
        value(name, label).map { _ in sum(name, label) }
    }

    /// The greatest of all series; nil before the first value.
    func greatest(_ name: String) -> Double? { series(name).map(\.value).max() }

    /// The sum of the series that have this label, or of all.
    func sum(_ name: String, _ label: (name: String, value: String)? = nil) -> Double {
        series(name).filter { series in label.map { series.labels[$0.name] == $0.value } ?? true }
            .reduce(0) { $0 + $1.value }
    }

    /// A histogram's buckets, all series together.
    func buckets(_ name: String) -> BucketCounts {
        var all = BucketCounts()
        for sample in metrics[name]?.samples ?? [] {
            guard case .histogram(let histogram, let bounds) = sample.value else { continue }
            all.add(BucketCounts(bounds: bounds, counts: histogram.counts))
        }
        return all
    }
}
