package import KasiaProtocol
import Kaspa
package import Store

/// Who is notified of what: every rule, in the order in which it is asked.
///
/// The app developer guide says the same to apps ("What the device is told of").
///
/// | what happens | rules | asked by |
/// |---|---|---|
/// | the chain accepts an operation or a transfer | `events` | `ChainStepBuilder`, before the store's batch |
/// | its sender is not known | `needsSender`, then `senderWaits` when its time is up | `SenderResolver`, in the store's batch |
/// | an event has its turn | `isDue`; `Audience` says whose watchers are looked at | `Dispatcher` |
/// | a watcher is looked at | `watchers` | `Outbox.fanOut`, in its batch |
/// | a delivery has its turn | `deliveries` | `Dispatcher` |
/// | a payment is out of the chain for ten minutes | `corrections` | `Outbox.fanOutRetraction`, in its batch |
/// | a wallet calls another | `rings` | `Ringer` |
///
/// The store enforces the rules that need a count, in the batch that they belong to:
/// - A transaction becomes an event once (`enqueued`).
/// - Only a payment is corrected, and only once (`RevertedRecord.isRetracted`).
/// - `notifyWithin` and `notifyFunds` name a limit; the pushes of the last hour are in `recent_funds` (`hourly_limit`).
/// - A token that Apple has never accepted has few places in the queue (`on_probation`), and every device has a limit
///   (`queue_full`), both in `StoreLimits`.
/// - A node must refuse a sender `History.enoughRefusals` times before a payment is pushed without it.
/// - An event whose accepting block is removed before its turn is withdrawn (`push.confirmations`).
package enum PushPolicy {
    /// How much older than a registration a transaction may be and still be pushed to it, milliseconds.
    package static let registrationTolerance: UInt64 = 120_000
    /// How often a node must be asked before an unknown sender suppresses a push.
    ///
    /// With the pauses between questions, that takes half a minute.
    package static let fewestSenderQuestions: UInt32 = 7

    // MARK: The chain accepts something

    /// Whether an accepted transaction becomes an event.
    package static let events = PushRules<AcceptedTransaction, EventDecision>(
        [
            PushRule("Without APNs nothing is queued.") { $0.intake.isOn ? nil : .nobody },
            PushRule("Self-stash: none, it is the sender's own note.") { $0.kind == .selfStash ? .nobody : nil },
            PushRule("A broadcast is pushed only in the channels of push.broadcast_channels.") {
                guard $0.kind == .broadcast else { return nil }
                return $0.channelName.map($0.intake.broadcastChannels.contains) == true ? nil : .nobody
            },
            PushRule("A transaction older than push.max_age when it is found is not pushed at all (counted).") {
                $0.blockTime.later(by: $0.intake.maximumAge) < $0.chainTime ? .tooOld : nil
            },
        ], otherwise: .queued)

    // MARK: The sender is not known

    /// Whether nobody can be notified without the sender.
    ///
    /// Messages go to those who watch the sender; payments, handshakes and addressed controls go to the receiver.
    package static func needsSender(_ payload: ParsedPayload) -> Bool {
        !payload.kind.paysReceiver && payload.recipient == nil
    }

    /// The decision about a question for a sender, and about the event that waits for it, when the time is up.
    package static let senderWaits = PushRules<UnansweredSender, SenderWaitDecision>(
        [
            PushRule("A sender that no event waits for is asked for at least seven times, then given up.") {
                guard !$0.question.notifies else { return nil }
                return $0.wasHardlyAsked ? .waits(until: $0.times.askingUntil) : .givenUp
            },
            PushRule("Who is paid is told without the sender: `From unknown sender`.") {
                $0.question.needsSender || $0.blockTime == nil ? nil : .released
            },
            PushRule("Nothing that is still news is suppressed for want of a node to ask.") {
                guard $0.question.needsSender, $0.wasHardlyAsked, let blockTime = $0.blockTime else { return nil }
                return blockTime >= $0.times.newsSince ? .waits(until: $0.times.waitingUntil) : nil
            },
        ], otherwise: .suppressed)

    // MARK: An event has its turn

    /// With `push.confirmations` N > 0, an event is due once the sink's blue score is N above the accepting block's.
    ///
    /// A correction waits for none: its payment has no accepting block.
    package static func isDue(_ event: PushEvent, sinkBlueScore: UInt64, confirmations: UInt64) -> Bool {
        guard event.kind != .paymentReverted else { return true }
        let (due, overflow) = event.acceptance.blueScore.addingReportingOverflow(confirmations)
        return overflow || sinkBlueScore >= due
    }

    // MARK: A watcher is looked at

    /// Whether a watcher of an event is notified.
    ///
    /// Each device is notified once, whatever it watches.
    package static let watchers = PushRules<Watcher, WatcherDecision>(
        [
            PushRule("A payment is told to the primary address; a watcher stands in only without a primary address.") {
                guard $0.kind.paysReceiver else { return nil }
                return $0.list == 0 || $0.device.primaryAddress == nil ? nil : .skip
            },
            PushRule("Whose inbox a message is for was looked at in the first list.") {
                guard let tag = $0.subject.inboxTag, $0.list > 0 else { return nil }
                return $0.device.primaryAddress?.inboxTag == tag ? .skip : nil
            },
            PushRule("A transfer is told in the list of the device's first credited address.") {
                $0.kind == .addressActivity && $0.share?.first != $0.list ? .skip : nil
            },
            PushRule("The owner's own coins that move are no news.") {
                guard $0.kind == .addressActivity else { return nil }
                return $0.spendsOwnCoins ? .suppress(.ownTransfer) : nil
            },
            PushRule("Not notified: devices one of whose own addresses is the sender.") {
                guard $0.kind != .addressActivity, $0.kind != .groupControl, let sender = $0.sender else { return nil }
                return $0.device.owns(sender) ? .suppress(.ownMessage) : nil
            },
            PushRule("A broadcast is not pushed to those who list its sender under the channel as hidden.") {
                guard let channel = $0.subject.channel, let sender = $0.sender else { return nil }
                return $0.device.hides(sender, in: channel) ? .suppress(.hiddenSender) : nil
            },
            // A first message comes under an alias that the device cannot have listed.
            PushRule("If the device lists aliases, only when the message's alias is one of them.") {
                guard $0.kind == .contextualMessage, !$0.isForInbox, !$0.device.aliases.isEmpty else { return nil }
                return $0.subject.alias.map($0.device.aliases.contains) == true ? nil : .suppress(.otherAlias)
            },
            PushRule("Group messages and controls need the capability group_v1.") {
                guard $0.kind == .groupMessage || $0.kind == .groupControl else { return nil }
                return $0.device.capabilities.contains(DeviceRecord.groupCapability)
                    ? nil : .suppress(.missingCapability)
            },
            PushRule("A transaction from more than two minutes before the registration is never pushed to it.") {
                $0.isBeforeRegistration ? .suppress(.beforeRegistration) : nil
            },
            PushRule("One push a transaction, with the sum that the device's addresses get, at most 30 an hour.") {
                $0.share.map { .notifyFunds(address: $0.address, amount: $0.amount) }
            },
            PushRule("At most 30 broadcast pushes an hour and device.") {
                $0.kind == .broadcast ? .notifyWithin(.broadcast) : nil
            },
            PushRule("A message to an inbox counts against 30 an hour from senders that the device does not watch.") {
                $0.isForInbox && !$0.watchesSender ? .notifyWithin(.inbox) : nil
            },
            PushRule("Payments and handshakes of senders that the device does not watch: 120 an hour.") {
                guard $0.kind.paysReceiver else { return nil }
                return $0.watchesSender ? nil : .notifyWithin(.strangers)
            },
        ], otherwise: .notify)

    // MARK: A delivery has its turn

    /// Whether a delivery is sent, given its device and its operation as they are now.
    package static let deliveries = PushRules<Due, DueDecision>(
        [
            PushRule("After an unregister nothing is sent.") {
                $0.delivery.device == nil ? .suppressed(.deviceRemoved) : nil
            },
            PushRule("A correction goes only to the devices that Apple accepted the first notification for.") {
                $0.delivery.wasTold ? nil : .suppressed(.neverTold)
            },
            // Before the rule about a missing payload: store.retention keeps the payload until the delivery expires.
            PushRule("A delivery is given up when its apns-expiration passes.") {
                $0.now < $0.delivery.delivery.expiresAt ? nil : .expired
            },
            PushRule("All else is sent, as long as history has its operation.") {
                guard let device = $0.delivery.device, let payload = $0.delivery.payload else { return nil }
                return .sent(device, payload)
            },
        ], otherwise: .suppressed(.operationGone))

    // MARK: A payment is out of the chain

    /// Whether a device gets the correction of a payment, by how the payment's own delivery ended.
    ///
    /// A delivery that still waits will have ended by the correction's turn, and `deliveries` checks again.
    package static let corrections = PushRules<DeliveryLogEntry.State, WatcherDecision>(
        [
            PushRule("A correction goes once to the devices that Apple accepted the first notification for.") {
                $0 == .delivered || $0 == .queued ? .notify : nil
            }
        ], otherwise: .suppress(.neverTold))

    // MARK: A wallet calls another

    /// Whether a device of the callee's wallet rings for a call.
    package static let rings = PushRules<Callee, Bool>(
        [
            PushRule("The devices whose bound primary address is called.") {
                $0.device.walletAddress == $0.address && $0.device.primaryAddress == $0.address ? nil : false
            },
            PushRule("Not the device that calls.") { $0.device.id == $0.caller ? false : nil },
            PushRule("Each VoIP token once; a device without one cannot ring.") {
                $0.device.voipToken.isEmpty || $0.rung.contains($0.device.voipToken) ? false : nil
            },
        ], otherwise: true)
}
