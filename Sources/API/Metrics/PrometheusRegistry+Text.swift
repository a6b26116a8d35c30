extension PrometheusRegistry {
    /// The `content-type` of ``renderPrometheus()``.
    package static let prometheusContentType = "text/plain; version=0.0.4; charset=utf-8"

    /// All series in Prometheus' text exposition format 0.0.4.
    ///
    /// Metrics are sorted by name and series by labels, so that equal values give equal text. Each metric has a `TYPE`
    /// line, those of the catalogue a `HELP` line too, even before their first sample.
    package func renderPrometheus() -> String {
        var text = ""
        for metric in snapshot {
            if let help = metric.help {
                text += "# HELP \(metric.name) \(Self.escaped(help, quote: false))\n"
            }
            text += "# TYPE \(metric.name) \(metric.kind.rawValue)\n"
            for sample in metric.samples {
                Self.append(sample, of: metric.name, to: &text)
            }
        }
        return text
    }

    private static func append(_ sample: MetricSnapshot.Sample, of name: String, to text: inout String) {
        let labels = sample.labels.labels.map { "\($0.name)=\"\(escaped($0.value, quote: true))\"" }
        func line(_ suffix: String, _ labels: [String], _ value: String) {
            text += name + suffix
            if !labels.isEmpty { text += "{" + labels.joined(separator: ",") + "}" }
            text += " " + value + "\n"
        }
        switch sample.value {
        case .number(let value):
            line("", labels, value.expositionText)
        case .histogram(let histogram, let bounds):
            for (bound, count) in histogram.cumulativeCounts(bounds: bounds) {
                line("_bucket", labels + ["le=\"\(bound.expositionText)\""], String(count))
            }
            line("_sum", labels, histogram.sum.expositionText)
            line("_count", labels, String(histogram.count))
        }
    }

    /// Backslash and line feed are escaped everywhere, the quotation mark in label values.
    private static func escaped(_ text: String, quote: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quote: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
