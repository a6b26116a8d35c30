/// The last hour of the service in columns of equal length, oldest first; nil where nothing was observed.
public struct StatusHistory: Hashable, Sendable, Codable {
    /// The seconds from one entry to the next.
    public var intervalSeconds: UInt64
    /// The end of each interval, milliseconds since 1970; at most 360.
    public var time: [UInt64]
    /// The length of each interval.
    public var seconds: [Double]
    /// Pushes delivered.
    public var delivered: [Double]
    /// Pushes given up.
    public var failed: [Double]
    /// Pushes that were tried again.
    public var retried: [Double]
    /// The median of the seconds from the chain to the carrier.
    public var chainToWireP50: [Double?]
    /// The 99th percentile of the seconds from the chain to the carrier.
    public var chainToWireP99: [Double?]
    /// The median of the seconds that the carrier took.
    public var sendP50: [Double?]
    /// The 99th percentile of the seconds that the carrier took.
    public var sendP99: [Double?]
    /// Pushes that waited or were being sent at the end of the interval.
    public var queue: [Double]
    /// The age of the last block applied.
    public var lagSeconds: [Double?]

    private enum CodingKeys: String, CodingKey {
        case time, seconds, delivered, failed, retried, queue
        case intervalSeconds = "interval_seconds"
        case chainToWireP50 = "chain_to_wire_p50"
        case chainToWireP99 = "chain_to_wire_p99"
        case sendP50 = "send_p50"
        case sendP99 = "send_p99"
        case lagSeconds = "lag_seconds"
    }
}

/// One interval of `StatusHistory`: an entry of each column.
public struct StatusSample: Hashable, Sendable, Codable {
    /// The end of the interval, milliseconds since 1970.
    public var time: UInt64
    /// The length of the interval.
    public var seconds: Double
    /// Pushes delivered.
    public var delivered: Double
    /// Pushes given up.
    public var failed: Double
    /// Pushes that were tried again.
    public var retried: Double
    /// The median of the seconds from the chain to the carrier.
    public var chainToWireP50: Double?
    /// The 99th percentile of the seconds from the chain to the carrier.
    public var chainToWireP99: Double?
    /// The median of the seconds that the carrier took.
    public var sendP50: Double?
    /// The 99th percentile of the seconds that the carrier took.
    public var sendP99: Double?
    /// Pushes that waited or were being sent at the end of the interval.
    public var queue: Double
    /// The age of the last block applied.
    public var lagSeconds: Double?

    private enum CodingKeys: String, CodingKey {
        case time, seconds, delivered, failed, retried, queue
        case chainToWireP50 = "chain_to_wire_p50"
        case chainToWireP99 = "chain_to_wire_p99"
        case sendP50 = "send_p50"
        case sendP99 = "send_p99"
        case lagSeconds = "lag_seconds"
    }
}
