import KasiaProtocol
import Kaspa
import Store

/// Who is told of an event (push.md, "Who is notified"): the watcher lists to walk, and the rule for each device.
///
/// Pure, and the same at every step of a walk: it follows from the event and the payload alone, but for registrations
/// that a wrong clock has put into the future.
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
    /// Of a message to an inbox, whose list is the first then.
    private let inboxTag: [UInt8]?
    /// Of a broadcast.
    private let channel: String?
    private let isAddressed: Bool
    private let blockTime: UInt64
    /// How late it is on the chain: what registered later than that had a wrong clock.
    private let chainTime: UInt64

    init(_ event: PushEvent, payload: [UInt8], network: Network, chainTime: UInt64) {
        let operation: PayloadOperation? =
            if case .operation(let operation) = PayloadGrammar.classify(payload) { operation } else { nil }
        kind = event.kind
        funds = event.funds.map(FundsAudience.init)
        sender = event.sender
        blockTime = event.blockTime
        self.chainTime = chainTime
        alias = operation?.alias.map { Array(payload[$0]) }
        inboxTag = operation?.inboxTag
        let broadcast = operation.flatMap { BroadcastContent($0, payload: payload) }
        channel = broadcast?.channel
        isAddressed = operation?.recipient != nil
        lists =
            event.kind == .broadcast
            ? Audience.lists(event, broadcast) : Audience.lists(event, operation, network)
    }

    private static func lists(
        _ event: PushEvent, _ operation: PayloadOperation?, _ network: Network
    ) -> [WatchKey] {
        switch event.kind {
        case .contextualMessage:
            // An unverified sender is nobody.
            guard let sender = event.sender else { return [] }
            return (operation?.inboxTag.map { [.inbox($0)] } ?? []) + [.address(sender)]
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

    /// Reactions and edits are about another broadcast: nobody is told of them.
    private static func lists(_ event: PushEvent, _ broadcast: BroadcastContent?) -> [WatchKey] {
        guard event.sender != nil, let broadcast, broadcast.form != .reaction, broadcast.form != .edit else {
            return []
        }
        return [.channel(broadcast.channel)]
    }

    func decide(_ device: DeviceRecord, list: Int) -> WatcherDecision {
        let isBeforeRegistration =
            blockTime.later(by: Audience.registrationTolerance) < device.createdAt
            && device.createdAt <= chainTime.later(by: Audience.registrationTolerance)
        if let funds {
            return funds.decide(device, list: list, isBeforeRegistration: isBeforeRegistration)
        }
        guard belongs(device, list: list) else { return .skip }
        if let sender, kind != .groupControl, device.owns(sender) { return .suppress(.ownMessage) }
        if let sender, let channel, device.hides(sender, in: channel) { return .suppress(.hiddenSender) }
        // Who writes for the first time writes under an alias that nobody can have listed.
        let isForInbox = inboxTag != nil && list == 0
        if kind == .contextualMessage, !isForInbox, !device.aliases.isEmpty {
            guard let alias, device.aliases.contains(alias) else { return .suppress(.otherAlias) }
        }
        if kind == .groupMessage || kind == .groupControl,
            !device.capabilities.contains(Audience.groupCapability)
        {
            return .suppress(.missingCapability)
        }
        guard !isBeforeRegistration else { return .suppress(.beforeRegistration) }
        if kind == .broadcast { return .notifyWithin(.broadcast) }
        // Anybody can write to an inbox or pay an address: of strangers a limited number is told.
        guard isForInbox || kind == .payment || kind == .handshake,
            sender.map(device.watchedAddresses.contains) != true
        else { return .notify }
        return .notifyWithin(isForInbox ? .inbox : .strangers)
    }

    /// Whether the device is looked at in this list: each is told once.
    ///
    /// Payments go to the devices whose primary address is paid; a watcher stands in only without a primary address.
    private func belongs(_ device: DeviceRecord, list: Int) -> Bool {
        switch kind {
        case .payment, .handshake: list == 0 || device.primaryAddress == nil
        // Whose inbox it is was looked at in the first list.
        case .contextualMessage: list == 0 || inboxTag == nil || device.primaryAddress?.inboxTag != inboxTag
        case .groupMessage, .groupControl, .selfStash, .broadcast, .addressActivity, .paymentReverted: true
        }
    }
}
