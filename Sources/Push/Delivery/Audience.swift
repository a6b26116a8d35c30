import KasiaProtocol
import Kaspa
import Store

/// Who is told of an event (push.md, "Who is notified"): the watcher lists to walk, and the rule for each device.
///
/// Pure and the same at every step of a walk: it follows from the event and the payload alone.
struct Audience: Sendable {
    /// What a registration must list for group traffic.
    static let groupCapability = "group_v1"
    /// A transaction may be this much older than a registration and still be told to it, milliseconds.
    static let registrationTolerance: UInt64 = 120_000

    /// Walked in this order.
    let lists: [WatchKey]
    private let kind: PushKind
    /// Of a plain transfer.
    private let funds: FundsAudience?
    private let sender: Address?
    private let alias: [UInt8]?
    private let isAddressed: Bool
    private let blockTime: UInt64

    init(_ event: PushEvent, payload: [UInt8], network: Network) {
        let operation: PayloadOperation? =
            if case .operation(let operation) = PayloadGrammar.classify(payload) { operation } else { nil }
        kind = event.kind
        funds = event.funds.map(FundsAudience.init)
        sender = event.sender
        blockTime = event.blockTime
        alias = operation?.alias.map { Array(payload[$0]) }
        isAddressed = operation?.recipient != nil
        lists = Audience.lists(event, operation, network)
    }

    private static func lists(
        _ event: PushEvent, _ operation: PayloadOperation?, _ network: Network
    ) -> [WatchKey] {
        switch event.kind {
        case .contextualMessage:
            // An unverified sender is nobody.
            return event.sender.map { [.address($0)] } ?? []
        case .payment, .handshake:
            guard let receiver = event.receiver, receiver != event.sender else { return [] }
            return [.primary(receiver), .address(receiver)]
        case .groupMessage:
            guard let group = operation?.group, let sender = event.sender, group.namesSender(sender) else { return [] }
            return [.group(group.blindedGroupID)]
        case .groupControl:
            if let key = operation?.recipient {
                let recipient = Address(prefix: network.addressPrefix, version: .schnorr, payload: key)
                return recipient.map { [.primary($0)] } ?? []
            }
            return event.sender.map { [.address($0)] } ?? []
        case .addressActivity:
            return event.funds.map { FundsAudience($0).lists } ?? []
        case .selfStash, .broadcast, .paymentReverted:
            // A correction goes to whoever was told, as the log has it.
            return []
        }
    }

    func decide(_ device: DeviceRecord, list: Int) -> WatcherDecision {
        let (limit, overflow) = blockTime.addingReportingOverflow(Audience.registrationTolerance)
        let isBeforeRegistration = !overflow && limit < device.createdAt
        if let funds {
            return funds.decide(device, list: list, isBeforeRegistration: isBeforeRegistration)
        }
        guard belongs(device, list: list) else { return .skip }
        if let sender, kind != .groupControl, device.owns(sender) { return .suppress(.ownMessage) }
        if kind == .contextualMessage, !device.aliases.isEmpty {
            guard let alias, device.aliases.contains(alias) else { return .suppress(.otherAlias) }
        }
        if kind == .groupMessage || kind == .groupControl,
            !device.capabilities.contains(Audience.groupCapability)
        {
            return .suppress(.missingCapability)
        }
        return isBeforeRegistration ? .suppress(.beforeRegistration) : .notify
    }

    /// Payments go to the devices whose primary address is paid; a watcher stands in only without a primary address.
    private func belongs(_ device: DeviceRecord, list: Int) -> Bool {
        switch kind {
        case .payment, .handshake: list == 0 || device.primaryAddress == nil
        case .contextualMessage, .groupMessage, .groupControl, .selfStash, .broadcast, .addressActivity,
            .paymentReverted:
            true
        }
    }
}
