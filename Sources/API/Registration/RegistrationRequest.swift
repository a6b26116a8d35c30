import JSON
import KasiaProtocol
import Kaspa
import Push
import Store

/// Checks the body of a register or update call, member by member.
///
/// The error names the first wrong one.
struct RegistrationRequest {
    let members: [String: JSONValue]
    let network: Network
    /// Whether the body has a member that only KaChat sends.
    ///
    /// Its apps read only the format `kachat`.
    let isOfKachat: Bool

    init(members: [String: JSONValue], network: Network) {
        self.members = members
        self.network = network
        isOfKachat = RegistrationRequest.isOfKachat(members)
    }

    /// The registration asked for.
    ///
    /// `needsPlatform` is true for a register call, false for an update.
    func registration(needsPlatform: Bool) throws -> Registration {
        let platform = needsPlatform ? try self.platform() : nil
        let target = try target(for: platform)
        let addresses = try watchedAddresses()
        let primary = try primaryAddress()
        let aliases = try self.aliases()
        let groups = try watchedGroupIDs()
        let capabilities = try self.capabilities()
        let format = try payloadFormat()
        let watchOnly = try self.addresses("watch_only_addresses", limit: APILimits.watchOnlyAddresses)
        guard !addresses.isEmpty || !groups.isEmpty || primary != nil else {
            throw APIError.badRequest(
                "nothing to watch: give watched_addresses, watched_group_ids or primary_address")
        }
        var registration = Registration(
            token: target.token.bytes, platform: platform, carrier: target.token.carrier,
            subscriptionKeys: target.keys, watchedAddresses: addresses, primaryAddress: primary, aliases: aliases,
            watchedGroupIDs: groups, capabilities: capabilities, payloadFormat: format, watchOnlyAddresses: watchOnly)
        if registration.carrier == .apns {
            registration.environment = try environment()
            registration.voipToken = try voipToken()
        }
        registration.broadcastChannels = try broadcastChannels()
        registration.hiddenBroadcastSenders = try hiddenBroadcastSenders()
        return registration
    }

    private static func isOfKachat(_ members: [String: JSONValue]) -> Bool {
        func isOfKachat(_ name: String) -> Bool { kachatMembers.contains(name) || name.hasPrefix("app_attest_") }
        if members.keys.contains(where: isOfKachat) { return true }
        guard case .object(let auth) = members["auth"] else { return false }
        return auth.keys.contains(where: isOfKachat)
    }

    private static let kachatMembers: Set<String> = [
        "devicecheck_token", "watched_broadcast_channels", "hidden_broadcast_senders", "kaposts_pubkey",
        "apns_environment", "voip_token",
    ]

    /// Whether there is a member `auth`, valid or not.
    var isSigned: Bool { present("auth") != nil }

    /// The signatures, with only their shape checked; nil for an unsigned request.
    func auth() throws -> AuthObject? {
        try present("auth").map { try AuthObject($0) }
    }

    /// Whether the member is present, even as an empty list.
    ///
    /// With a signature of version 1 it implies a capability.
    var hasGroupIDs: Bool { present("watched_group_ids") != nil }

    private func platform() throws -> DeviceRecord.Platform {
        let label = try text("platform").lowercased()
        guard let platform = DeviceRecord.Platform.all.first(where: { $0.label == label }) else {
            let labels = DeviceRecord.Platform.all.map(\.label).joined(separator: ", ")
            throw APIError.badRequest("platform \(label.quotedForPeople) is not known: use one of \(labels)")
        }
        return platform
    }

    private func payloadFormat() throws -> DeviceRecord.PayloadFormat? {
        guard let value = present("payload_format") else { return nil }
        switch value {
        case .string("kasia"): return .kasia
        case .string("kachat"): return .kachat
        default: throw APIError.badRequest("payload_format must be kasia or kachat")
        }
    }

    private func environment() throws -> DeviceRecord.Environment? {
        guard let value = present("apns_environment") else { return nil }
        switch value {
        case .string("development"): return .development
        case .string("production"): return .production
        default: throw APIError.badRequest("apns_environment must be development or production")
        }
    }

    private func voipToken() throws -> [UInt8] {
        switch present("voip_token") {
        case nil, .string(""): return []
        case .string(let text): return try DeviceToken.apple(text, naming: "voip_token")
        default: throw APIError.badRequest("voip_token must be a string or null")
        }
    }

    private func broadcastChannels() throws -> [String] {
        var seen: Set<String> = []
        return try strings("watched_broadcast_channels", limit: APILimits.broadcastChannels).compactMap { entry in
            let name = try channel(entry.text, in: entry.name)
            return seen.insert(name).inserted ? name : nil
        }
    }

    private func channel(_ text: String, in name: @autoclosure () -> String) throws -> String {
        guard let channel = ChannelName(text)?.text else {
            throw APIError.badRequest(
                "\(name()) must be a channel's name: 1 to \(ChannelName.maximumCharacters) characters without white "
                    + "space or colons")
        }
        return channel
    }

    private func hiddenBroadcastSenders() throws -> [String: [Address]] {
        let name = "hidden_broadcast_senders"
        guard let value = present(name) else { return [:] }
        guard case .object(let channels) = value else {
            throw APIError.badRequest("\(name) must be an object of lists of addresses by channel")
        }
        var hidden: [String: [Address]] = [:]
        var count = 0
        // Sorted, so that of several mistakes always the same one is named.
        for (text, value) in channels.sorted(by: { $0.key < $1.key }) {
            let path = "\(name)[\(text.quotedForPeople)]"
            let channel = try channel(text, in: path)
            guard case .array(let entries) = value else {
                throw APIError.badRequest("\(path) must be a list of strings")
            }
            count += entries.count
            guard channels.count <= APILimits.broadcastChannels, count <= APILimits.hiddenBroadcastSenders else {
                throw APIError.badRequest(
                    "\(name) has too many entries; at most \(APILimits.broadcastChannels) channels and "
                        + "\(APILimits.hiddenBroadcastSenders) addresses in all are allowed")
            }
            for (index, entry) in entries.enumerated() {
                guard case .string(let text) = entry else {
                    throw APIError.badRequest("\(path)[\(index)] must be a string")
                }
                let address = try address(text.trimmed, in: "\(path)[\(index)]")
                if hidden[channel]?.contains(address) != true { hidden[channel, default: []].append(address) }
            }
        }
        return hidden
    }

    private func primaryAddress() throws -> Address? {
        guard let value = present("primary_address") else { return nil }
        guard case .string(let text) = value else { throw APIError.badRequest("primary_address must be a string") }
        let trimmed = text.trimmed
        return trimmed.isEmpty ? nil : try address(trimmed, in: "primary_address")
    }

    private func watchedAddresses() throws -> [Address] {
        guard present("watched_addresses") != nil else { throw APIError.badRequest("watched_addresses is missing") }
        return try addresses("watched_addresses", limit: APILimits.watchedAddresses)
    }

    /// A list of addresses, each once; empty without the member.
    private func addresses(_ name: String, limit: Int) throws -> [Address] {
        let entries = try strings(name, limit: limit)
        var seen = Set<Address>(minimumCapacity: entries.count)
        return try entries.compactMap { entry in
            let address = try address(entry.text, in: entry.name)
            return seen.insert(address).inserted ? address : nil
        }
    }

    private func address(_ text: String, in name: @autoclosure () -> String) throws -> Address {
        try Address.parse(text, naming: name(), on: network)
    }

    private func aliases() throws -> [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return try strings("aliases", limit: APILimits.aliases).compactMap { entry in
            let bytes = Array(entry.text.utf8)
            guard bytes.count <= APILimits.aliasBytes else {
                throw APIError.badRequest("\(entry.name) is longer than \(APILimits.aliasBytes) bytes")
            }
            return seen.insert(bytes).inserted ? bytes : nil
        }
    }

    private func watchedGroupIDs() throws -> [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return try strings("watched_group_ids", limit: APILimits.groupIDs).compactMap { entry in
            guard let id = Hex.decode(entry.text), id.count == APILimits.groupIDBytes else {
                throw APIError.badRequest("\(entry.name) must be 64 hex digits")
            }
            return seen.insert(id).inserted ? id : nil
        }
    }

    private func capabilities() throws -> [String] {
        var seen: Set<String> = []
        return try strings("capabilities", limit: APILimits.capabilities).compactMap { entry in
            // Checked before it is lower-cased, which would turn a Kelvin sign into a k.
            let isAllowed = entry.text.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".": true
                default: false
                }
            }
            guard isAllowed, entry.text.utf8.count <= APILimits.capabilityBytes else {
                throw APIError.badRequest(
                    "\(entry.name) must be at most \(APILimits.capabilityBytes) of the characters a-z 0-9 _ - .")
            }
            let capability = entry.text.lowercased()
            return seen.insert(capability).inserted ? capability : nil
        }
    }

    // MARK: Shapes

    /// A member that is present and not null.
    func present(_ name: String) -> JSONValue? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    /// A whole number from 0 to 2^64 - 1; nil without the member.
    func wholeNumber(_ name: String) throws -> UInt64? {
        guard let value = present(name) else { return nil }
        guard case .integer(let number) = value else {
            throw APIError.badRequest("\(name) must be a whole number from 0 to 18446744073709551615")
        }
        return number
    }

    func text(_ name: String) throws -> String {
        guard let value = present(name) else { throw APIError.badRequest("\(name) is missing") }
        guard case .string(let text) = value else { throw APIError.badRequest("\(name) must be a string") }
        return text
    }

    /// One text of a list.
    private struct Entry {
        let list: String
        let index: Int
        let text: String

        /// The entry's name in errors.
        var name: String { "\(list)[\(index)]" }
    }

    /// A list of texts, trimmed, without empty ones.
    private func strings(_ name: String, limit: Int) throws -> [Entry] {
        guard let value = present(name) else { return [] }
        guard case .array(let entries) = value else { throw APIError.badRequest("\(name) must be a list of strings") }
        guard entries.count <= limit else {
            throw APIError.badRequest("\(name) has \(entries.count) entries; at most \(limit) are allowed")
        }
        return try entries.enumerated().compactMap { index, entry in
            guard case .string(let text) = entry else {
                throw APIError.badRequest("\(name)[\(index)] must be a string")
            }
            let trimmed = text.trimmed
            return trimmed.isEmpty ? nil : Entry(list: name, index: index, text: trimmed)
        }
    }
}

extension DeviceRecord.Platform {
    /// Every platform, in the order in which errors list them.
    static let all: [DeviceRecord.Platform] = [.ios, .macos, .android, .web, .unifiedPush]
}
