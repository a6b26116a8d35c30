/// Where a series hangs, so that it can be taken off again.
struct SeriesIdentity: Hashable, Sendable {
    /// The name of its metric.
    let metric: String
    let labels: SeriesLabels
    /// False for what many instruments share (`other`), for what must always appear, and for what hangs nowhere.
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
