/// How a transaction stands in the chain; a newer service may have other words.
public struct ActivityStatus: RawRepresentable, Hashable, Sendable, Codable {
    /// The name as it is sent.
    public let rawValue: String

    /// Takes any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Seen in a block, not yet accepted by the virtual chain.
    public static let pending = ActivityStatus(rawValue: "pending")
    /// Accepted by the virtual chain.
    public static let accepted = ActivityStatus(rawValue: "accepted")
    /// Accepted, and the chain has grown by 100 since.
    public static let confirmed = ActivityStatus(rawValue: "confirmed")
    /// Taken out of the chain by a reorganisation.
    public static let reverted = ActivityStatus(rawValue: "reverted")
    /// Nothing that the service ever saw; only in answers about single transactions.
    public static let unknown = ActivityStatus(rawValue: "unknown")
}
