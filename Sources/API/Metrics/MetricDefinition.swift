/// The three kinds of metrics, named as in Prometheus' `TYPE` line.
package enum MetricKind: String, Sendable, Hashable {
    /// Only grows while the process lives.
    case counter
    /// Goes up and down.
    case gauge
    /// Counts observations in buckets, with their number and sum.
    case histogram
}

/// The definition of a metric.
package struct MetricDefinition: Sendable, Hashable {
    /// The full name, `kasia_` included.
    package let name: String
    /// The kind, written as the metric's `TYPE`.
    package let kind: MetricKind
    /// One sentence for the `HELP` line.
    package let help: String
    /// The names of the labels; empty for a metric of a single series.
    package let labels: [String]
    /// Upper bounds of a histogram's buckets, strictly ascending and finite; empty for the other kinds.
    package let bucketBounds: [Double]

    /// Describes a metric.
    ///
    /// Bounds that are not finite are dropped and the rest are sorted, so that Prometheus accepts every histogram.
    package init(_ name: String, _ kind: MetricKind, _ help: String, labels: [String] = [], buckets: [Double] = []) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
        self.bucketBounds = Set(buckets.filter(\.isFinite)).sorted()
    }
}
