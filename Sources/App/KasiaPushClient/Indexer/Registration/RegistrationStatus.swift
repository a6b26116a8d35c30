public import KasiaPushCore

/// What the service has registered for a device.
///
/// The members after `isBound` are there if the registration is bound to no wallet, or if the wallet that it is bound
/// to has signed the call: nil does not mean empty.
public struct RegistrationStatus: Hashable, Sendable, Codable {
    /// Whether the device is registered.
    public var isRegistered: Bool
    /// The addresses whose messages are notified, normalised.
    public var watchedAddresses: [String]
    /// When the device last registered or updated with success, in UNIX seconds; nil if it is not registered.
    public var lastSeen: Int64?
    /// Whether only one wallet can change the registration; nil if the device is not registered.
    public var isBound: Bool?
    /// The platform's name; `platform` is nil for one that this library does not know.
    public var platformName: String?
    /// The wallet that the registration is bound to, if any.
    public var walletAddress: String?
    /// The device's own address, if it has one.
    public var primaryAddress: String?
    /// The aliases, as they were registered.
    public var aliases: [String]?
    /// Blinded group ids, 64 hex digits in lower case each.
    public var watchedGroupIDs: [String]?
    /// What the app understands.
    public var capabilities: [String]?
    /// Own addresses whose plain transfers are notified.
    public var watchOnlyAddresses: [String]?
    /// The shape of Apple's notifications; nil also for the operator's default.
    public var payloadFormat: PayloadFormat?
    /// Apple's host, as the app said or Apple's answers have shown; nil also while it is not known.
    public var apnsEnvironment: APNsEnvironment?
    /// Whether the device can be rung.
    public var hasVoIPToken: Bool?
    /// Channels whose broadcasts are notified.
    public var watchedBroadcastChannels: [String]?
    /// By channel, addresses whose broadcasts are not notified.
    public var hiddenBroadcastSenders: [String: [String]]?

    /// Makes the status of a device, by default of one that is not registered.
    public init(isRegistered: Bool = false, watchedAddresses: [String] = [], lastSeen: Int64? = nil) {
        self.isRegistered = isRegistered
        self.watchedAddresses = watchedAddresses
        self.lastSeen = lastSeen
    }

    /// What the device runs; nil if it is not told, or is none that this library knows.
    public var platform: PushPlatform? { platformName.flatMap(PushPlatform.init) }

    private enum CodingKeys: String, CodingKey {
        case aliases, capabilities
        case isRegistered = "registered"
        case watchedAddresses = "watched_addresses"
        case lastSeen = "last_seen"
        case isBound = "bound"
        case platformName = "platform"
        case walletAddress = "wallet_address"
        case primaryAddress = "primary_address"
        case watchedGroupIDs = "watched_group_ids"
        case watchOnlyAddresses = "watch_only_addresses"
        case payloadFormat = "payload_format"
        case apnsEnvironment = "apns_environment"
        case hasVoIPToken = "has_voip_token"
        case watchedBroadcastChannels = "watched_broadcast_channels"
        case hiddenBroadcastSenders = "hidden_broadcast_senders"
    }
}
