import API
import Foundation
import JSON
import Kaspa
import Store

/// A registration as text for the operator.
///
/// Personal data is shortened unless asked for.
struct DeviceText {
    let device: DeviceRecord
    /// Whether everything is written in full.
    ///
    /// The VoIP token is never written.
    let isFull: Bool

    /// The line in lists.
    var line: String {
        let wallet = device.walletAddress.map { "  wallet \(text($0))" } ?? ""
        return "\(device)  token \(token)  \(platform)  last seen \(device.lastSeen.readableTime)  "
            + "watches \(Counted(device.watchedAddresses.count, "address", "addresses")), "
            + "\(Counted(device.watchedGroupIDs.count, "group"))\(wallet)"
    }

    /// All members, one on each line.
    func lines(state: DeviceState, waiting: Int) -> [String] {
        let facts = [
            "\(device)", "token: \(token)", "platform: \(platform)",
            "registered: \(device.createdAt.readableTime)", "last seen: \(device.lastSeen.readableTime)",
            "payload format: \(device.payloadFormat.map { "\($0)" } ?? "the default")",
            "primary address: \(device.primaryAddress.map(text) ?? "none")",
            "wallet: \(device.walletAddress.map(text) ?? "none: the registration is not signed")",
            "device key: \(deviceKey)",
            "apns environment: \(environment)", "token for ringing: \(device.voipToken.isEmpty ? "none" : "yes")",
        ]
        return facts + watched + [
            "deliveries: last number \(state.lastSeq), \(waiting) waiting",
            "refusals of the token in a row: \(state.strikes)",
            "accepted by \(device.platform.carrier.owner): \(DeviceText.standing(state))",
        ]
    }

    /// What the device watches.
    private var watched: [String] {
        let lists = [
            DeviceText.list("watched addresses", device.watchedAddresses.map(text)),
            DeviceText.list("watch-only addresses", device.watchOnlyAddresses.map(text)),
            listed("aliases", device.aliases.map { JSONText.quoted(String(decoding: $0, as: UTF8.self)) }),
            listed("groups", device.watchedGroupIDs.map { Hex.encode($0) }),
            DeviceText.list("capabilities", device.capabilities),
            DeviceText.list("broadcast channels", device.broadcastChannels.map { JSONText.quoted($0) }),
        ]
        return lists + hiddenSenders
    }

    /// One line for all channels, or one for each.
    private var hiddenSenders: [String] {
        let hidden = device.hiddenBroadcastSenders.sorted { $0.key < $1.key }
        guard isFull, !hidden.isEmpty else {
            return ["hidden broadcast senders: \(hidden.reduce(0) { $0 + $1.value.count })"]
        }
        return hidden.map { channel, senders in
            DeviceText.list("hidden broadcast senders in \(JSONText.quoted(channel))", senders.map(text))
        }
    }

    /// The number of entries, and the entries.
    private static func list(_ name: String, _ entries: [String]) -> String {
        entries.isEmpty ? "\(name): none" : "\(name) (\(entries.count)): \(entries.joined(separator: " "))"
    }

    /// The number of entries, and the entries if everything is asked for.
    private func listed(_ name: String, _ entries: [String]) -> String {
        isFull ? DeviceText.list(name, entries) : "\(name): \(entries.count)"
    }

    private var deviceKey: String {
        guard let key = device.deviceKey else { return "none" }
        return isFull ? "\(Hex.encode(key.keyID)), counter \(key.counter)" : "yes"
    }

    private static func standing(_ state: DeviceState) -> String {
        guard !state.isAccepted else { return "yes" }
        return state.unacceptedSince.map { "never, refused since \($0.readableTime)" } ?? "not yet"
    }

    private var platform: String { device.platform.label }

    private var environment: String {
        guard let known = device.environment else { return "not known, the operator's is taken" }
        return "\(known.environment), \(known.isSaid ? "as the app said" : "as Apple's answers have shown")"
    }

    private var token: String {
        let text = device.tokenText
        guard !isFull else { return text }
        // Of an endpoint the beginning tells the service, and the end the device.
        return device.platform.carrier == .webPush ? "\(text.prefix(40))…\(text.suffix(8))" : "\(text.prefix(8))…"
    }

    private func text(_ address: Address) -> String { isFull ? address.description : address.short }
}

/// A device as an operator names it: by its token, or by the short name in lists and logs.
enum DeviceName: Equatable, Sendable {
    case token([UInt8])
    /// The beginning of the device's id, at least the four bytes of the short name.
    case prefix([UInt8])

    static let help = "The device's token as its app got it, or its name: the 8 hex digits that lists and logs show."

    init?(_ text: String) {
        if let bytes = Hex.decode(text), (4...16).contains(bytes.count) {
            self = .prefix(bytes)
        } else if let token = TokenText.bytes(text) {
            self = .token(token)
        } else {
            return nil
        }
    }

    /// The device with this name.
    ///
    /// Errors: there is none, or there are several.
    func find(in store: Store) async throws -> DeviceRecord {
        let found: [DeviceRecord]
        switch self {
        case .token(let token): found = try await store.registry.device(DeviceID(token: token)).map { [$0] } ?? []
        case .prefix(let bytes): found = try await store.registry.devices(namePrefix: bytes, limit: 2)
        }
        guard let device = found.first else { throw StartError(description: "no such device is registered") }
        guard found.count == 1 else {
            throw StartError(description: "several devices have this name: give the token")
        }
        return device
    }
}
