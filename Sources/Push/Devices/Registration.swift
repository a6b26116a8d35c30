public import Kaspa
public import Store

/// A valid registration as an app asked for it; `API` checks shapes and limits before one is made.
public struct Registration: Equatable, Sendable {
    /// The token as `DeviceRecord` has it.
    public var token: [UInt8]
    /// nil in an update: the platform stays; a new device gets the usual one of its carrier.
    public var platform: DeviceRecord.Platform?
    /// Who carries the pushes, as the token's shape shows; `platform` is one of this carrier's.
    public var carrier: CarrierName
    /// Of Web Push: the keys that seal a push; nil in an update: they stay.
    ///
    /// A device that is not registered with Web Push needs them.
    public var subscriptionKeys: DeviceRecord.SubscriptionKeys?
    /// At most 256, without repeats, in the order given; may be empty.
    public var watchedAddresses: [Address]
    /// The owner's own address, whose payments and handshakes the device is told of; nil: those of its watched
    /// addresses.
    public var primaryAddress: Address?
    /// If there are any, only contextual messages under one of them are told; UTF-8, at most 256 of at most 64 bytes.
    public var aliases: [[UInt8]]
    /// Blinded group ids of 32 bytes; at most 256, without repeats.
    public var watchedGroupIDs: [[UInt8]]
    /// What the app can take, in lower case, such as `group_v1`; at most 32 of at most 64 bytes, without repeats.
    public var capabilities: [String]
    /// nil: the operator's default.
    public var payloadFormat: DeviceRecord.PayloadFormat?
    /// Own addresses whose funds are told of.
    public var watchOnlyAddresses: [Address]
    /// Of Apple: which of its hosts the token is good at; nil: what is known stays.
    public var environment: DeviceRecord.Environment?
    /// Of Apple: the token for ringing, raw bytes; empty: the device cannot be rung.
    public var voipToken: [UInt8] = []
    /// Names of channels whose broadcasts are told; at most 64, without repeats.
    public var broadcastChannels: [String] = []
    /// By channel, whose broadcasts are not told; at most 500 addresses in all.
    public var hiddenBroadcastSenders: [String: [Address]] = [:]

    /// A registration that watches addresses and asks for nothing else, unless more is given.
    ///
    /// Without a carrier it is the platform's, or Apple.
    public init(
        token: [UInt8], platform: DeviceRecord.Platform?, carrier: CarrierName? = nil,
        subscriptionKeys: DeviceRecord.SubscriptionKeys? = nil,
        watchedAddresses: [Address], primaryAddress: Address? = nil,
        aliases: [[UInt8]] = [], watchedGroupIDs: [[UInt8]] = [], capabilities: [String] = [],
        payloadFormat: DeviceRecord.PayloadFormat? = nil, watchOnlyAddresses: [Address] = []
    ) {
        self.token = token
        self.platform = platform
        self.carrier = carrier ?? platform?.carrier ?? .apns
        self.subscriptionKeys = subscriptionKeys
        self.watchedAddresses = watchedAddresses
        self.primaryAddress = primaryAddress
        self.aliases = aliases
        self.watchedGroupIDs = watchedGroupIDs
        self.capabilities = capabilities
        self.payloadFormat = payloadFormat
        self.watchOnlyAddresses = watchOnlyAddresses
    }
}
