import Foundation
import Kaspa
import Store

/// A registration as an operator sees it; personal data is shortened unless it is asked for.
struct DeviceText {
    let device: DeviceRecord
    /// Whether token and addresses are written whole.
    let isFull: Bool

    /// One line, for lists.
    var line: String {
        let wallet = device.walletAddress.map { "  wallet \(text($0))" } ?? ""
        return "\(device)  token \(token)  \(platform)  last seen \(device.lastSeen.readableTime)  "
            + "watches \(device.watchedAddresses.count) addresses, \(device.watchedGroupIDs.count) groups\(wallet)"
    }

    /// Everything that is known, a line each.
    func lines(state: DeviceState, waiting: Int) -> [String] {
        [
            "\(device)", "token: \(token)", "platform: \(platform)",
            "registered: \(device.createdAt.readableTime)", "last seen: \(device.lastSeen.readableTime)",
            "payload format: \(device.payloadFormat.map { "\($0)" } ?? "the default")",
            "primary address: \(device.primaryAddress.map(text) ?? "none")",
            "wallet: \(device.walletAddress.map(text) ?? "none: the registration is not signed")",
            "device key: \(device.deviceKey == nil ? "none" : "yes")",
            "apns environment: \(environment)", "token for ringing: \(device.voipToken.isEmpty ? "none" : "yes")",
            "watched addresses (\(device.watchedAddresses.count)): "
                + device.watchedAddresses.map(text).joined(separator: " "),
            "aliases: \(device.aliases.count)", "groups: \(device.watchedGroupIDs.count)",
            "broadcast channels: \(device.broadcastChannels.joined(separator: " "))",
            "capabilities: \(device.capabilities.joined(separator: " "))",
            "deliveries: last number \(state.lastSeq), \(waiting) waiting",
            "refusals of the token in a row: \(state.strikes)", "accepted by Apple: \(DeviceText.standing(state))",
        ]
    }

    private static func standing(_ state: DeviceState) -> String {
        guard !state.isAccepted else { return "yes" }
        return state.unacceptedSince.map { "never, refused since \($0.readableTime)" } ?? "not yet"
    }

    private var platform: String { "\(device.platform)" }

    private var environment: String {
        guard let known = device.environment else { return "not known, the operator's is taken" }
        return "\(known.environment), \(known.isSaid ? "as the app said" : "as Apple's answers have shown")"
    }

    private var token: String {
        let digits = Hex.encode(device.token)
        return isFull ? digits : digits.prefix(8) + "…"
    }

    private func text(_ address: Address) -> String { isFull ? address.description : address.short }
}

/// A device as an operator names it: by its token, or by the name that lists and logs show.
enum DeviceName: Equatable, Sendable {
    case token([UInt8])
    /// At least the four bytes that are shown.
    case prefix([UInt8])

    static let help = "The device's token in hex, or its name: the 8 hex digits that lists and logs show."

    init?(_ text: String) {
        guard let bytes = Hex.decode(text) else { return nil }
        switch bytes.count {
        case 4...16: self = .prefix(bytes)
        case 32...256: self = .token(bytes)
        default: return nil
        }
    }

    /// The one device of this name; errors: none, or several.
    func find(in store: Store) throws -> DeviceRecord {
        let found: [DeviceRecord]
        switch self {
        case .token(let token): found = try store.device(DeviceID(token: token)).map { [$0] } ?? []
        case .prefix(let bytes): found = try store.devices(namePrefix: bytes, limit: 2)
        }
        guard let device = found.first else { throw StartError(description: "no such device is registered") }
        guard found.count == 1 else {
            throw StartError(description: "several devices have this name: give the token")
        }
        return device
    }
}
