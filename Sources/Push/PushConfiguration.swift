public import Kaspa
public import Store

/// The settings of pushes (`push.*` in config/indexer.yaml).
public struct PushConfiguration: Sendable {
    /// The network of the events: keys in payloads become its addresses, and its name goes into notification ids.
    public var network: Network
    /// The `apns-topic` is the client's; this names the notification's shape where a registration does not choose.
    public var payloadFormat: DeviceRecord.PayloadFormat
    /// The longest `payload` string that goes into a notification, 1 to 3500 bytes.
    public var maximumPayloadBytes: Int
    /// Older transactions are not pushed.
    public var maximumAge: Duration
    /// How far the sink's blue score must be above the accepting block's before devices are told.
    public var confirmations: UInt64
    /// How long Apple, and this service, keep trying.
    public var expiration: Duration
    /// How many "invalid token" answers in a row remove a device, at least 1.
    public var invalidTokenStrikes: Int
    /// Whether payments that a reorganisation took out, and that stay out, are corrected.
    public var retractions: Bool
    /// Which of Apple's hosts is the operator's own; nil: there is one for all.
    public var environment: DeviceRecord.Environment?
    /// Most notifications in flight at once: connections × streams.
    public var capacity: Int

    /// The defaults of config/indexer.yaml.
    ///
    /// `capacity` is that of 2 connections with 500 streams each.
    public init(
        network: Network, payloadFormat: DeviceRecord.PayloadFormat = .kasia, maximumPayloadBytes: Int = 3500,
        maximumAge: Duration = .seconds(86_400), confirmations: UInt64 = 0, expiration: Duration = .seconds(86_400),
        invalidTokenStrikes: Int = 3, retractions: Bool = false, capacity: Int = 1000
    ) {
        self.network = network
        self.payloadFormat = payloadFormat
        self.maximumPayloadBytes = maximumPayloadBytes
        self.maximumAge = maximumAge
        self.confirmations = confirmations
        self.expiration = expiration
        self.invalidTokenStrikes = invalidTokenStrikes
        self.retractions = retractions
        self.capacity = capacity
    }
}
