/// The service's metrics as they stood once.
struct ServiceMetrics {
    private var values: [(series: Substring, value: Double)] = []

    init(_ http: LocalHTTP) {
        guard let answer = http.send("GET", "/metrics/prometheus") else { return }
        for line in String(decoding: answer.body, as: UTF8.self).split(whereSeparator: \.isNewline)
        where !line.hasPrefix("#") {
            // name{label="value"} 17
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                continue
            }
            values.append((line[..<space], value))
        }
    }

    /// Events and deliveries that wait or are on their way; less than 0 when the service does not answer.
    var queue: Double {
        values.isEmpty
            ? -1 : sum("kasia_push_books", with: #"state="queued""#) + sum("kasia_push_queue_depth", with: "in_flight")
    }

    /// All series of a metric that have this label, added up.
    func sum(_ name: String, with label: String = "") -> Double {
        values.filter {
            ($0.series == name || $0.series.hasPrefix(name + "{")) && (label.isEmpty || $0.series.contains(label))
        }
        .reduce(0) { $0 + $1.value }
    }
}
