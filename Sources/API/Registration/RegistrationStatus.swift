import Kaspa
import Push
import Store

/// The answer of `/v1/push/status`, with the member names of a registration.
struct RegistrationStatus {
    /// The device; nil if the token is not registered.
    let device: DeviceRecord?
    /// The wallet that the caller has proven to be.
    let reader: Address?

    var answer: JSONAnswer {
        var members: [(String, JSONAnswer)] = [
            ("registered", .boolean(device != nil)),
            ("watched_addresses", RegistrationStatus.list(device?.watchedAddresses ?? [])),
            ("last_seen", device.map { .integer($0.lastSeen / 1000) } ?? .null),
        ]
        if let device {
            members.append(("bound", .boolean(device.walletAddress != nil)))
            if device.isOpen(to: reader) { members += RegistrationStatus.details(device) }
        }
        return .object(members)
    }

    /// The members of a bound registration that only its wallet may read.
    private static func details(_ device: DeviceRecord) -> [(String, JSONAnswer)] {
        [
            ("platform", .string(device.platform.label)),
            ("wallet_address", device.walletAddress.map { .string($0.description) } ?? .null),
            ("primary_address", device.primaryAddress.map { .string($0.description) } ?? .null),
            ("aliases", .array(device.aliases.map { .string(String(decoding: $0, as: UTF8.self)) })),
            ("watched_group_ids", .array(device.watchedGroupIDs.map { .string(Hex.encode($0)) })),
            ("capabilities", .array(device.capabilities.map { .string($0) })),
            ("watch_only_addresses", list(device.watchOnlyAddresses)),
            ("payload_format", device.payloadFormat.map { .string("\($0)") } ?? .null),
            ("apns_environment", device.environment.map { .string("\($0.environment)") } ?? .null),
            ("has_voip_token", .boolean(!device.voipToken.isEmpty)),
            ("watched_broadcast_channels", .array(device.broadcastChannels.map { .string($0) })),
            ("hidden_broadcast_senders", hiddenSenders(device)),
        ]
    }

    private static func hiddenSenders(_ device: DeviceRecord) -> JSONAnswer {
        .object(device.hiddenBroadcastSenders.sorted { $0.key < $1.key }.map { ($0.key, list($0.value)) })
    }

    private static func list(_ addresses: [Address]) -> JSONAnswer {
        .array(addresses.map { .string($0.description) })
    }
}
