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
            let short = metric.name.dropFirst(isOurs ? MetricsCatalogue.prefix.count : 0)
            // A foreign metric that already has the short name keeps it.
            let isFree = !isOurs || !names.contains(String(short))
            return JSONText.quoted(isFree ? String(short) : metric.name) + ":" + Self.json(metric)
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    private static func json(_ metric: MetricSnapshot) -> String {
        if metric.samples.count == 1, let only = metric.samples.first, only.labels == .none {
            switch only.value {
            case .number(let value): return number(value)
            case .histogram: return "{" + members(only.value) + "}"
            }
        }
        let items = metric.samples.map { sample in
            let labels = sample.labels.labels.map { JSONText.quoted($0.name) + ":" + JSONText.quoted($0.value) }
            return "{\"labels\":{\(labels.joined(separator: ","))},\(members(sample.value))}"
        }
        return "[" + items.joined(separator: ",") + "]"
    }

    private static func members(_ value: MetricSnapshot.Value) -> String {
        switch value {
        case .number(let value):
            return "\"value\":" + number(value)
        case .histogram(let histogram, let bounds):
            let buckets = histogram.cumulativeCounts(bounds: bounds).map { bound, count in
                "\"\(bound.expositionText)\":\(count)"
            }
            return "\"count\":\(histogram.count),\"sum\":\(number(histogram.sum)),"
                + "\"buckets\":{\(buckets.joined(separator: ","))}"
        }
    }

    private static func number(_ value: Double) -> String {
        value.isFinite ? value.expositionText : "null"
    }
}
