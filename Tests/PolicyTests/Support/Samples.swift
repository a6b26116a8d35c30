import KasiaProtocol
import Kaspa
import SampleOperations
import Store

/// Addresses, payloads, events and devices that tests speak of.
enum Samples {
    static let alice = address(1)
    static let bob = address(2)
    static let carol = address(3)
    static let groupID = [UInt8](repeating: 0x11, count: 32)
    /// Milliseconds since 1970.
    static let time: UInt64 = 1_704_067_200_000

    static func address(_ number: UInt8, prefix: AddressPrefix = .kaspa) -> Address {
        let payload = [UInt8](repeating: number, count: Address.Version.schnorr.payloadByteCount)
        guard let address = Address(prefix: prefix, version: .schnorr, payload: payload) else {
            preconditionFailure("the payload has the version's length")
        }
        return address
    }

    static func token(_ number: Int) -> [UInt8] { [UInt8](repeating: 0x5a, count: 31) + [UInt8(number)] }

    // MARK: Payloads

    static func message(_ body: String = "c2VhbGVk", alias: String = "a") -> [UInt8] {
        Array("ciph_msg:1:comm:\(alias):\(body)".utf8)
    }

    static func inboxMessage(tag: [UInt8], alias: String = "a") -> [UInt8] {
        Array("kchat:1:dm:\(Hex.encode(tag)):\(alias):c2VhbGVk".utf8)
    }

    static func broadcast(_ content: String, channel: String = "kaspa") -> [UInt8] {
        Array("ciph_msg:1:bcast:\(channel):\(content)".utf8)
    }

    static func payment() -> [UInt8] { Array("ciph_msg:1:payment:f00d".utf8) }

    static func handshake() -> [UInt8] { Array("ciph_msg:1:handshake:aGVsbG8".utf8) }

    static func groupMessage(by sender: Address) -> [UInt8] {
        let fields = [
            Hex.encode(groupID), "7", Hex.encode([UInt8](repeating: 0x22, count: 32)),
            Hex.encode(sender.xOnlyPublicKey ?? []), Hex.encode([UInt8](repeating: 0x33, count: 24)), "c0ffee",
            Hex.encode([UInt8](repeating: 0x44, count: 64)),
        ]
        return Array("ciph_msg:1:gcomm:\(fields.joined(separator: ":"))".utf8)
    }

    static func groupControl(to recipient: Address? = nil) -> [UInt8] {
        let addressee = recipient.map { Hex.encode($0.xOnlyPublicKey ?? []) + ":" } ?? ""
        return Array("ciph_msg:1:gctl:\(addressee)beef".utf8)
    }

    // MARK: Events

    static let acceptance = OperationRecord.Acceptance(blockHash: .zero, daaScore: 12_345_678, blueScore: 1)

    static func event(
        _ kind: PushKind, sender: Address? = alice, receiver: Address? = nil, blockTime: UInt64 = time
    ) -> PushEvent {
        PushEvent(
            number: 1, transactionID: .zero, kind: kind, sender: sender, receiver: receiver, amount: 0,
            blockTime: blockTime, acceptance: acceptance, queuedAt: blockTime)
    }

    /// The event of an operation with this payload.
    static func event(_ event: PushEvent, with payload: [UInt8]) -> PushEvent {
        guard let kind = OperationKind(rawValue: event.kind.rawValue) else { return event }
        var event = event
        event.subject = PushSubject(
            OperationRecord(
                transactionID: event.transactionID, kind: kind, sender: event.sender, receiver: event.receiver,
                amount: event.amount, blockHash: .zero, blockTime: event.blockTime, acceptance: event.acceptance,
                payload: payload))
        return event
    }

    // MARK: Devices

    static func device(
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
