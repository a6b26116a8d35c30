/// One of the service's metrics, by its value's shape.
public enum Metric: Hashable, Sendable {
    /// A metric without labels; nil when it has no finite value.
    case number(Double?)
    /// A histogram without labels.
    case histogram(Histogram)
    /// An entry for each combination of labels.
    case series([Series])

    /// Observations in buckets.
    public struct Histogram: Hashable, Sendable, Codable {
        /// How many there were.
        public var count: UInt64
        /// Their sum; nil when it is not finite.
        public var sum: Double?
        /// How many were at most as large as the key.
        public var buckets: [String: UInt64]
    }

    /// One combination of labels: `value`, or the members of a histogram.
    public struct Series: Hashable, Sendable, Codable {
        /// The labels by name.
        public var labels: [String: String]
        /// The value of a counter or gauge; nil when it is not finite.
        public var value: Double?
        /// Of a histogram: how many observations there were.
        public var count: UInt64?
        /// Of a histogram: their sum; nil when it is not finite.
        public var sum: Double?
        /// Of a histogram: how many were at most as large as the key.
        public var buckets: [String: UInt64]?
    }
}

extension Metric: Codable {
    /// Reads a number, null, a histogram or an array of series.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .number(nil)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let histogram = try? value.decode(Histogram.self) {
            self = .histogram(histogram)
        } else {
            self = .series(try value.decode([Series].self))
        }
    }

    /// Writes what was read.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .histogram(let histogram): try container.encode(histogram)
        case .series(let series): try container.encode(series)
        }
    }
}
