/// What several repetitions of one measurement gave.
struct Samples: Sendable {
    private var values: [Double]

    init(_ values: [Double] = []) { self.values = values.sorted() }

    /// Adds one of very many values; `sort()` comes after the last.
    mutating func append(_ value: Double) { values.append(value) }

    mutating func sort() { values.sort() }

    mutating func add(_ value: Double) {
        values.append(value)
        values.sort()
    }

    /// The middle value; the mean of the two middle ones of an even count; 0 of none.
    var median: Double {
        guard !values.isEmpty else { return 0 }
        let middle = values.count / 2
        return values.count.isMultiple(of: 2) ? (values[middle - 1] + values[middle]) / 2 : values[middle]
    }

    /// The value below which such a share (0 to 1) of the values lies, to the next value above; 0 of none.
    func quantile(_ share: Double) -> Double {
        guard !values.isEmpty else { return 0 }
        return values[min(values.count - 1, Int(Double(values.count) * share))]
    }

    /// From the lowest to the highest value, as a share of the median; nil of fewer than two.
    var spread: Double? {
        guard values.count > 1, let low = values.first, let high = values.last, median > 0 else { return nil }
        return (high - low) / median
    }

    func map(_ transform: (Double) -> Double) -> Samples { Samples(values.map(transform)) }
}
