package import Metrics
import Synchronization

/// A back end for swift-metrics that keeps all series in memory, and renders them for Prometheus or as JSON.
///
/// Instruments of equal name and labels share one series. A metric of the catalogue has the catalogue's kind whatever
/// makes its instruments; outside it the first instrument decides. Memory is bounded: a metric has at most
/// `seriesLimit` series (further label values become `other`), and there are at most `metricLimit` metrics. What the
/// bounds turn away, and an instrument whose kind does not fit its metric (a counter on a histogram), still works for
/// its holder and is counted in `kasia_metrics_refused_total`.
///
/// swift-prometheus is not used. It writes the text and lets nobody read the values, which `/metrics` and the status
/// page need; it ends the process where two instruments of one name differ in kind or in the names of their labels; and
/// it puts no bound on the number of series.
///
/// Safe for use from any thread: an update is one atomic operation, or for a histogram a short lock; making and
/// destroying instruments takes the registry's lock.
package final class PrometheusRegistry: MetricsFactory {
    /// The default limit of a metric's series.
    package static let defaultSeriesLimit = 1_000
    /// The limit of metrics besides the catalogue's.
    package static let metricLimit = 1_000

    private let seriesLimit: Int
    private let metricLimit: Int
    private let families: Mutex<[String: MetricFamily]>
    private let refused: ScalarSeries

    /// Makes a registry with the catalogue's metrics.
    ///
    /// - Parameters:
    ///   - catalogue: The metrics with help texts and buckets.
    ///   - seriesLimit: Series a metric may have; at least 1.
    package init(
        catalogue: [MetricDefinition] = MetricsCatalogue.definitions, seriesLimit: Int = defaultSeriesLimit
    ) {
        var families: [String: MetricFamily] = [:]
        for definition in catalogue {
            families[definition.name] = MetricFamily(definition)
        }
        let definition = MetricsCatalogue.refusedInstruments
        var own = families[definition.name] ?? MetricFamily(definition)
        if case .scalar(let series) = own.series(for: .none, limit: 1).series {
            refused = series
        } else {
            refused = Self.unlisted(isMonotonic: true)
        }
        families[own.name] = own
        self.metricLimit = families.count + Self.metricLimit
        self.families = Mutex(families)
        self.seriesLimit = max(1, seriesLimit)
    }

    // MARK: Instruments

    /// Makes a counter; negative increments are ignored.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        scalar(label, dimensions, .counter)
    }

    /// Makes a counter of fractions; negative increments are ignored.
    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        scalar(label, dimensions, .counter)
    }

    /// Makes a gauge that can be set, raised and lowered.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        scalar(label, dimensions, .gauge)
    }

    /// Makes a histogram if it aggregates, else a gauge.
    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        let kind: MetricKind = aggregate ? .histogram : .gauge
        switch series(label, dimensions, kind, MetricFamily.recorderBounds) {
        case .scalar(let series)?: return series
        case .histogram(let series)?: return series
        case nil:
            refused.increment(by: Int64(1))
            return Self.unlisted(isMonotonic: false)
        }
    }

    /// Makes a histogram of seconds.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        if case .histogram(let series)? = series(label, dimensions, .histogram, MetricFamily.timerBounds) {
            return series
        }
        refused.increment(by: Int64(1))
        return HistogramSeries(identity: Self.nowhere, bounds: [])
    }

    /// Takes the counter's series out of the exposition.
    package func destroyCounter(_ handler: any CounterHandler) {
        remove(handler)
    }

    /// Takes the counter's series out of the exposition.
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
        remove(handler)
    }

    /// Takes the meter's series out of the exposition.
    package func destroyMeter(_ handler: any MeterHandler) {
        remove(handler)
    }

    /// Takes the recorder's series out of the exposition.
    package func destroyRecorder(_ handler: any RecorderHandler) {
        remove(handler)
    }

    /// Takes the timer's series out of the exposition.
    package func destroyTimer(_ handler: any TimerHandler) {
        remove(handler)
    }

    /// Every metric and series, sorted by name and labels.
    var snapshot: [MetricSnapshot] {
        families.withLock { Array($0.values) }.map(MetricSnapshot.init).sorted { $0.name < $1.name }
    }

    // MARK: Series

    private static let nowhere = SeriesIdentity(metric: "", labels: .none, isRemovable: false)

    private static func unlisted(isMonotonic: Bool) -> ScalarSeries {
        ScalarSeries(identity: nowhere, isMonotonic: isMonotonic)
    }

    private func scalar(_ label: String, _ dimensions: [(String, String)], _ kind: MetricKind) -> ScalarSeries {
        if case .scalar(let series)? = series(label, dimensions, kind, []) { return series }
        refused.increment(by: Int64(1))
        return Self.unlisted(isMonotonic: kind == .counter)
    }

    /// The series for an instrument; nil if there are too many metrics.
    private func series(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricKind, _ bounds: [Double]
    ) -> MetricSeries? {
        let name = MetricName.metric(label)
        let labels = SeriesLabels(dimensions)
        let found: (series: MetricSeries, isFolded: Bool)? = families.withLock { families in
            if families[name] == nil {
                guard families.count < metricLimit else { return nil }
                families[name] = MetricFamily(name: name, kind: kind, bounds: bounds)
            }
            return families[name]?.series(for: labels, limit: seriesLimit)
        }
        if found?.isFolded == true { refused.increment(by: Int64(1)) }
        return found?.series
    }

    private func remove(_ handler: AnyObject) {
        let identity = (handler as? ScalarSeries)?.identity ?? (handler as? HistogramSeries)?.identity
        guard let identity, identity.isRemovable else { return }
        families.withLock { families in
            // Keep a newer series with the same labels.
            guard families[identity.metric]?.series[identity.labels]?.handler === handler else { return }
            families[identity.metric]?.series[identity.labels] = nil
            if let family = families[identity.metric], family.help == nil, family.series.isEmpty {
                families[identity.metric] = nil
            }
        }
    }
}
