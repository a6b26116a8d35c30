package import Kaspa
package import Store

/// Addresses, tokens, payloads and devices that tests speak of.
package enum Samples {
    package static let alice = address(1)
    package static let bob = address(2)
    package static let carol = address(3)
    /// The first good address of the shared vectors.
    package static let known = try? Address(
        parsing: "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l")

    package static func address(
        _ number: UInt8, prefix: AddressPrefix = .kaspa, version: Address.Version = .schnorr
    ) -> Address {
        let payload = [UInt8](repeating: number, count: version.payloadByteCount)
        guard let address = Address(prefix: prefix, version: version, payload: payload) else {
            preconditionFailure("the payload has the version's length")
        }
        return address
    }

    /// Spread over the hash, so that each number is another transaction.
    package static func hash(_ number: UInt64) -> Hash {
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: $0 < 24 ? 0xab : number >> UInt64((31 - $0) * 8)) }
        return Hash(bytes: bytes) ?? .zero
    }

    package static func token(_ number: Int) -> [UInt8] {
        let seed = withUnsafeBytes(of: UInt32(number).bigEndian, Array.init)
        return [UInt8](repeating: 0x5a, count: 28) + seed
    }

    package static func message(_ body: String = "c2VhbGVk", alias: String = "a") -> [UInt8] {
        Array("ciph_msg:1:comm:\(alias):\(body)".utf8)
    }

    package static func inboxMessage(
        _ body: String = "c2VhbGVk", tag: [UInt8] = [UInt8](repeating: 0x5a, count: 16), alias: String = "a"
    ) -> [UInt8] {
        Array("kchat:1:dm:\(Hex.encode(tag)):\(alias):\(body)".utf8)
    }

    package static func broadcast(_ content: String, channel: String = "kaspa") -> [UInt8] {
        Array("ciph_msg:1:bcast:\(channel):\(content)".utf8)
    }

    package static func payment(_ body: String = "f00d") -> [UInt8] { Array("ciph_msg:1:payment:\(body)".utf8) }

    package static func handshake(_ body: String = "aGVsbG8") -> [UInt8] { Array("ciph_msg:1:handshake:\(body)".utf8) }

    package static let groupID = [UInt8](repeating: 0x11, count: 32)

    package static func groupMessage(by sender: Address) -> [UInt8] {
        let fields = [
            Hex.encode(groupID), "7", Hex.encode([UInt8](repeating: 0x22, count: 32)),
            Hex.encode(sender.xOnlyPublicKey ?? []), Hex.encode([UInt8](repeating: 0x33, count: 24)), "c0ffee",
            Hex.encode([UInt8](repeating: 0x44, count: 64)),
        ]
        return Array("ciph_msg:1:gcomm:\(fields.joined(separator: ":"))".utf8)
    }

    package static func groupControl(to recipient: Address? = nil) -> [UInt8] {
        let addressee = recipient.map { Hex.encode($0.xOnlyPublicKey ?? []) + ":" } ?? ""
        return Array("ciph_msg:1:gctl:\(addressee)beef".utf8)
    }

    package static func device(
        _ number: Int = 1, createdAt: UInt64 = 0, primary: Address? = nil, wallet: Address? = nil,
        watching: [Address] = [], aliases: [String] = [], groups: [[UInt8]] = [], capabilities: [String] = [],
        channels: [String] = [], hidden: [String: [Address]] = [:], funds: [Address] = []
    ) -> DeviceRecord {
        var device = DeviceRecord(
            token: token(number), platform: .ios, createdAt: createdAt, lastSeen: createdAt, primaryAddress: primary,
            walletAddress: wallet, watchedAddresses: watching, aliases: aliases.map { Array($0.utf8) },
            watchedGroupIDs: groups, capabilities: capabilities)
        device.broadcastChannels = channels
        device.hiddenBroadcastSenders = hidden
        device.watchOnlyAddresses = funds
        return device
    }
}
