/// All series of one metric.
struct MetricFamily: Sendable {
    /// Bounds for timers outside the catalogue, seconds.
    static let timerBounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60]
    /// Bounds for recorders outside the catalogue.
    static let recorderBounds = [1.0, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000]

    let name: String
    let kind: MetricKind
    /// The help text; nil outside the catalogue.
    let help: String?
    let bounds: [Double]
    var series: [SeriesLabels: MetricSeries] = [:]

    /// A metric of the catalogue.
    ///
    /// A counter without labels starts at 0.
    init(_ definition: MetricDefinition) {
        name = definition.name
        kind = definition.kind
        help = definition.help
        bounds = definition.bucketBounds
        if kind == .counter, definition.labels.isEmpty {
            series[.none] = makeSeries(.none, isRemovable: false)
        }
    }

    /// A metric outside the catalogue, defined by its first instrument.
    init(name: String, kind: MetricKind, bounds: [Double]) {
        self.name = name
        self.kind = kind
        self.help = nil
        self.bounds = kind == .histogram ? bounds : []
    }

    /// The series with these labels, made if there is room, else the shared series `other`.
    mutating func series(for labels: SeriesLabels, limit: Int) -> (series: MetricSeries, isFolded: Bool) {
        if let known = series[labels] { return (known, false) }
        let isFolded = series.count >= limit
        let key = isFolded ? labels.folded : labels
        if let known = series[key] { return (known, isFolded) }
        let made = makeSeries(key, isRemovable: !isFolded)
        series[key] = made
        return (made, isFolded)
    }

    private func makeSeries(_ labels: SeriesLabels, isRemovable: Bool) -> MetricSeries {
        let identity = SeriesIdentity(metric: name, labels: labels, isRemovable: isRemovable)
        return kind == .histogram
            ? .histogram(HistogramSeries(identity: identity, bounds: bounds))
            : .scalar(ScalarSeries(identity: identity, isMonotonic: kind == .counter))
    }
}
