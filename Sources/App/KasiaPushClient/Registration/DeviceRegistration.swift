import Crypto
import Foundation
public import KasiaPushCore
import Kaspa

/// A registration as the app wants it: the device, its wallet and what it is notified of.
///
/// The limits are those of `RegistrationRequest`. The service refuses the whole of it for one bad entry, which
/// `RegistrationProgress` then shows.
public struct DeviceRegistration: Hashable, Sendable, Codable {
    /// The device's token; of a browser or UnifiedPush the subscription's endpoint.
    public var token: PushToken
    /// What the device runs.
    public var platform: PushPlatform
    /// The wallet that signs, and that the token is bound to; nil for a registration without a signature.
    ///
    /// Anybody who learns the token can change a registration that is bound to no wallet.
    public var walletAddress: String?
    /// The user's own address, to which payments and handshakes go; with groups it must be the wallet's.
    public var primaryAddress: String?
    /// Addresses whose messages are notified.
    public var watchedAddresses: [String] = []
    /// If there are any, only messages under one of these aliases are notified.
    public var aliases: [String] = []
    /// Blinded group ids, 64 hex digits each; they need a wallet and the capability `group_v1`.
    public var groupIDs: [String] = []
    /// What the app understands, such as `group_v1`; they need a wallet.
    public var capabilities: [String] = []
    /// Own addresses whose plain transfers are notified.
    public var watchOnlyAddresses: [String] = []
    /// Channels whose broadcasts are notified.
    public var channels: [String] = []
    /// By channel, addresses whose broadcasts are not notified.
    public var hiddenSenders: [String: [String]] = [:]
    /// Which of Apple's hosts the tokens are good at; nil leaves it to the service.
    public var environment: APNsEnvironment?
    /// PushKit's token; nil: the device cannot be rung.
    public var voipToken: PushToken?
    /// The keys of a browser or a UnifiedPush app.
    public var subscription: WebPushSubscription?
    /// The shape of Apple's notifications; nil lets the service choose.
    ///
    /// Then it may be `kachat` as soon as there is a member that only KaChat's apps used to send, such as the
    /// environment. The library reads both shapes.
    public var payloadFormat: PayloadFormat?

    /// Makes a registration that watches nothing yet.
    public init(token: PushToken, platform: PushPlatform, walletAddress: String? = nil) {
        self.token = token
        self.platform = platform
        self.walletAddress = walletAddress
    }

    /// The body of a register call, not yet signed.
    var request: RegistrationRequest {
        var request = RegistrationRequest(token: token, platform: platform)
        request.subscription = subscription
        request.watchedAddresses = watchedAddresses
        request.primaryAddress = primaryAddress
        request.aliases = aliases
        request.watchedGroupIDs = groupIDs.isEmpty ? nil : groupIDs
        request.watchOnlyAddresses = watchOnlyAddresses
        request.capabilities = capabilities
        request.payloadFormat = payloadFormat
        request.apnsEnvironment = environment
        request.voipToken = voipToken
        request.watchedBroadcastChannels = channels
        request.hiddenBroadcastSenders = hiddenSenders
        return request
    }

    /// The same with lists that are trimmed, sorted and without repeats, in lower case where case does not matter.
    var canonical: DeviceRegistration {
        var canonical = self
        canonical.walletAddress = walletAddress.flatMap(DeviceRegistration.lowered)
        canonical.primaryAddress = primaryAddress.flatMap(DeviceRegistration.lowered)
        canonical.watchedAddresses = DeviceRegistration.list(watchedAddresses, lowered: true)
        canonical.aliases = DeviceRegistration.list(aliases, lowered: false)
        canonical.groupIDs = DeviceRegistration.list(groupIDs, lowered: true)
        canonical.capabilities = DeviceRegistration.list(capabilities, lowered: true)
        canonical.watchOnlyAddresses = DeviceRegistration.list(watchOnlyAddresses, lowered: true)
        canonical.channels = DeviceRegistration.list(channels, lowered: true)
        canonical.hiddenSenders = Dictionary(
            hiddenSenders.map { channel, senders in
                (DeviceRegistration.lowered(channel) ?? "", DeviceRegistration.list(senders, lowered: true))
            }, uniquingKeysWith: { DeviceRegistration.list($0 + $1, lowered: true) })
        return canonical
    }

    /// The SHA-256 of a canonical registration, hex: it stands for the whole in what is stored about the service.
    var fingerprint: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Texts, lists and dictionaries of them: there is nothing that JSON cannot hold.
        let bytes = (try? encoder.encode(self)).map { Array($0) } ?? []
        return Hex.encode(SHA256.hash(data: bytes))
    }

    private static func list(_ entries: [String], lowered isLowered: Bool) -> [String] {
        Set(entries.compactMap { isLowered ? lowered($0) : trimmed($0) }).sorted()
    }

    /// nil for an entry of white space.
    private static func lowered(_ text: String) -> String? { trimmed(text)?.lowercased() }

    private static func trimmed(_ text: String) -> String? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return trimmed.isEmpty ? nil : trimmed
    }
}
