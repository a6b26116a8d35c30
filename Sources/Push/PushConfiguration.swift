public import Kaspa

/// The settings of pushes (`push.*` in config/indexer.yaml).
public struct PushConfiguration: Sendable {
    /// The network of the events: keys in payloads become its addresses, and its name goes into notification ids.
    public var network: Network
    /// Older transactions are not pushed.
    public var maximumAge: Duration
    /// How far the sink's blue score must be above the accepting block's before devices are told.
    public var confirmations: UInt64
    /// How long a carrier, and this service, keep trying.
    public var expiration: Duration
    /// How many "invalid token" answers in a row remove a device, at least 1.
    public var invalidTokenStrikes: Int
    /// Whether payments that a reorganisation took out, and that stay out, are corrected.
    public var retractions: Bool

    /// The defaults of config/indexer.yaml.
    public init(
        network: Network, maximumAge: Duration = .seconds(86_400), confirmations: UInt64 = 0,
        expiration: Duration = .seconds(86_400),
        invalidTokenStrikes: Int = 3, retractions: Bool = false
    ) {
        self.network = network
        self.maximumAge = maximumAge
        self.confirmations = confirmations
        self.expiration = expiration
        self.invalidTokenStrikes = invalidTokenStrikes
        self.retractions = retractions
    }
}
