import KasiaProtocol
package import Kaspa
package import Store

/// The watch lists to read for an event, and the policy's decision about each watcher in them.
///
/// Pure. The lists follow from the event alone, so every step of a fan-out gets the same ones. The chain's time only
/// corrects registrations that a wrong clock has dated into the future.
package struct Audience: Sendable {
    /// The lists, in the order in which they are read.
    package let lists: [WatchKey]
    private let event: PushEvent
    private let chainTime: UInt64

    /// `chainTime` is the chain's time, milliseconds since 1970.
    package init(_ event: PushEvent, network: Network, chainTime: UInt64) {
        self.event = event
        self.chainTime = chainTime
        lists = Audience.lists(event, network)
    }

    /// The policy's decision about a device in the list at this position.
    package func decide(_ device: DeviceRecord, list: Int) -> WatcherDecision {
        PushPolicy.watchers.decide(Watcher(event, device, list: list, chainTime: chainTime))
    }

    private static func lists(_ event: PushEvent, _ network: Network) -> [WatchKey] {
        let subject = event.subject
        switch event.kind {
        case .contextualMessage:
            // Nobody watches an unknown sender.
            guard let sender = event.sender else { return [] }
            return (subject.inboxTag.map { [.inbox($0)] } ?? []) + [.address(sender)]
        case .payment, .handshake:
            guard let receiver = event.receiver, receiver != event.sender else { return [] }
            return [.primary(receiver), .address(receiver)]
        case .groupMessage:
            return subject.groupID.map { [.group($0)] } ?? []
        case .groupControl:
            if let key = subject.recipient {
                let recipient = Address(prefix: network.addressPrefix, version: .schnorr, payload: key)
                return recipient.map { [.primary($0)] } ?? []
            }
            return event.sender.map { [.address($0)] } ?? []
        case .broadcast:
            // Reactions and edits are about another broadcast: nobody is told of them.
            guard event.sender != nil, let channel = subject.channel, subject.form?.isNews == true else { return [] }
            return [.channel(channel)]
        case .addressActivity:
            return event.funds.map { $0.credits.map { .funds($0.address) } } ?? []
        case .selfStash, .paymentReverted:
            // A correction goes to whoever was told, as the log has it.
            return []
        }
    }
}
