/// The labels of one series, sorted by name, each name once.
struct SeriesLabels: Hashable, Sendable {
    /// One name with its value.
    struct Label: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// The value of labels once a metric's limit of series is reached.
    static let foldedValue = "other"

    /// The longest value, in bytes, so that a value from outside cannot make every scrape large.
    static let maximumValueBytes = 256

    /// No labels.
    static let none = SeriesLabels(labels: [])

    let labels: [Label]

    private init(labels: [Label]) {
        self.labels = labels
    }

    /// Takes swift-metrics' dimensions.
    ///
    /// Of a repeated name, the first value counts.
    init(_ dimensions: [(String, String)]) {
        var labels: [Label] = []
        for (name, value) in dimensions {
            let name = MetricName.label(name)
            if !labels.contains(where: { $0.name == name }) {
                labels.append(Label(name: name, value: Self.bounded(value)))
            }
        }
        self.labels = labels.sorted { $0.name < $1.name }
    }

    /// The same names, each with the value `other`.
    var folded: SeriesLabels {
        SeriesLabels(labels: labels.map { Label(name: $0.name, value: Self.foldedValue) })
    }

    private static func bounded(_ value: String) -> String {
        guard value.utf8.count > maximumValueBytes else { return value }
        var end = value.utf8.index(value.startIndex, offsetBy: maximumValueBytes)
        while end.samePosition(in: value.unicodeScalars) == nil {
            end = value.utf8.index(before: end)
        }
        return String(value[..<end])
    }
}

extension SeriesLabels: Comparable {
    static func < (left: SeriesLabels, right: SeriesLabels) -> Bool {
        left.labels.lexicographicallyPrecedes(right.labels) { ($0.name, $0.value) < ($1.name, $1.value) }
    }
}
