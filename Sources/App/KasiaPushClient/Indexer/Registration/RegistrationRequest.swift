public import KasiaPushCore

/// A registration: which device, and what it is notified of.
///
/// Register and update take the same value. Lists are sent as they are; the service trims, normalises and
/// de-duplicates them, and refuses the whole request for one bad entry. Empty lists are not sent, but for `watchedAddresses`. The signature covers `watchedAddresses`,
/// `watchedGroupIDs`, `capabilities`, `aliases` and `primaryAddress`.
public struct RegistrationRequest: Hashable, Sendable {
    /// The device's token; of a browser or UnifiedPush the subscription's endpoint.
    public var token: PushToken
    /// What the device runs.
    public var platform: PushPlatform
    /// The keys of a browser or a UnifiedPush app; nil leaves those of a known device as they are.
    public var subscription: WebPushSubscription?
    /// Addresses whose messages are notified, at most 256; may be empty if there is a group or a primary address.
    public var watchedAddresses: [String]
    /// The device's own address, to which payments and handshakes go.
    public var primaryAddress: String?
    /// If there are any, only messages under one of these aliases are notified: at most 256, of 64 bytes each.
    public var aliases: [String]
    /// Blinded group ids of 64 hex digits, at most 256; nil leaves the member out, which version 1 signs differently.
    public var watchedGroupIDs: [String]?
    /// Own addresses whose plain transfers are notified, at most 200.
    public var watchOnlyAddresses: [String]
    /// What the app understands, such as `group_v1`: at most 32, with a signature of version 2.
    public var capabilities: [String]
    /// The shape of Apple's notifications; nil lets the service choose.
    public var payloadFormat: PayloadFormat?
    /// Which of Apple's hosts the tokens are good at; nil keeps what the service knows.
    public var apnsEnvironment: APNsEnvironment?
    /// PushKit's token, for ringing; nil: the device cannot be rung.
    public var voipToken: PushToken?
    /// Channels whose broadcasts are notified, at most 64.
    public var watchedBroadcastChannels: [String]
    /// By channel, addresses whose broadcasts are not notified; at most 500 in all.
    public var hiddenBroadcastSenders: [String: [String]]
    /// The signature, if the registration is signed.
    public var auth: RequestAuthorization?

    /// Makes a registration that watches nothing yet.
    public init(token: PushToken, platform: PushPlatform) {
        self.token = token
        self.platform = platform
        watchedAddresses = []
        aliases = []
        watchOnlyAddresses = []
        capabilities = []
        watchedBroadcastChannels = []
        hiddenBroadcastSenders = [:]
    }

    /// The members that the signature covers.
    public var signedLists: SignedLists {
        SignedLists(
            watchedAddresses: watchedAddresses, watchedGroupIDs: watchedGroupIDs, capabilities: capabilities,
            aliases: aliases, primaryAddress: primaryAddress)
    }
}

extension RegistrationRequest: Encodable {
    private enum CodingKeys: String, CodingKey {
        case platform, subscription, aliases, capabilities, auth
        case token = "device_token"
        case watchedAddresses = "watched_addresses"
        case primaryAddress = "primary_address"
        case watchedGroupIDs = "watched_group_ids"
        case watchOnlyAddresses = "watch_only_addresses"
        case payloadFormat = "payload_format"
        case apnsEnvironment = "apns_environment"
        case voipToken = "voip_token"
        case watchedBroadcastChannels = "watched_broadcast_channels"
        case hiddenBroadcastSenders = "hidden_broadcast_senders"
    }

    /// Writes the body of a register call.
    public func encode(to encoder: any Encoder) throws {
        try encode(to: encoder, platform: platform)
    }

    /// Writes the body; an update has no platform.
    func encode(to encoder: any Encoder, platform: PushPlatform?) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(token, forKey: .token)
        try members.encodeIfPresent(platform, forKey: .platform)
        try members.encodeIfPresent(subscription, forKey: .subscription)
        try members.encode(watchedAddresses, forKey: .watchedAddresses)
        try members.encodeIfPresent(primaryAddress, forKey: .primaryAddress)
        try members.encodeIfPresent(watchedGroupIDs, forKey: .watchedGroupIDs)
        for (list, key) in [
            (aliases, CodingKeys.aliases), (watchOnlyAddresses, .watchOnlyAddresses), (capabilities, .capabilities),
            (watchedBroadcastChannels, .watchedBroadcastChannels),
        ] where !list.isEmpty {
            try members.encode(list, forKey: key)
        }
        if !hiddenBroadcastSenders.isEmpty {
            try members.encode(hiddenBroadcastSenders, forKey: .hiddenBroadcastSenders)
        }
        try members.encodeIfPresent(payloadFormat, forKey: .payloadFormat)
        try members.encodeIfPresent(apnsEnvironment, forKey: .apnsEnvironment)
        try members.encodeIfPresent(voipToken, forKey: .voipToken)
        try members.encodeIfPresent(auth, forKey: .auth)
    }
}
