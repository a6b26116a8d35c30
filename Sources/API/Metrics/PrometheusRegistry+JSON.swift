extension PrometheusRegistry {
    /// All series as one JSON object, keyed by the metric's name without `kasia_`.
    ///
    /// A metric without labels is its number; one with labels is an array of `{"labels":{…},"value":…}`. A histogram
    /// is `{"count","sum","buckets":{"0.1":…,"+Inf":…}}`, with `labels` beside them in an array if it has any; a bucket
    /// counts the smaller ones too. A metric of the catalogue with no sample yet is an empty array.
    /// A number that JSON cannot write is null.
    package func renderJSON() -> String {
        let metrics = snapshot
        let names = Set(metrics.map(\.name))
        let members = metrics.map { metric in
            let isOurs = metric.name.hasPrefix(MetricsCatalogue.prefix)
            let short = String(metric.name.dropFirst(isOurs ? MetricsCatalogue.prefix.count : 0))
            // A foreign metric that already has the short name keeps it.
            let isFree = !isOurs || !names.contains(short)
            return (isFree ? short : metric.name, metric.answer)
        }
        return JSONAnswer.object(members).text
    }
}

extension MetricSnapshot {
    fileprivate var answer: JSONAnswer {
        if samples.count == 1, let only = samples.first, only.labels == .none {
            switch only.value {
            case .number(let value): return .number(value)
            case .histogram: return .object(only.value.members)
            }
        }
        return .array(
            samples.map { sample in
                let labels = sample.labels.labels.map { ($0.name, JSONAnswer.string($0.value)) }
                return .object([("labels", .object(labels))] + sample.value.members)
            })
    }
}

extension MetricSnapshot.Value {
    fileprivate var members: [(String, JSONAnswer)] {
        switch self {
        case .number(let value): return [("value", .number(value))]
        case .histogram(let histogram, let bounds):
            let buckets = histogram.cumulativeCounts(bounds: bounds).map { bound, count in
                (bound.expositionText, JSONAnswer.integer(count))
            }
            return [
                ("count", .integer(histogram.count)), ("sum", .number(histogram.sum)), ("buckets", .object(buckets)),
            ]
        }
    }
}
