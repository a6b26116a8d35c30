package import Kaspa
package import Store

/// The operator's settings for events.
package struct EventIntake: Equatable, Sendable {
    /// Whether APNs is configured.
    package var isOn: Bool
    /// `push.max_age`, milliseconds.
    package var maximumAge: UInt64
    /// `push.broadcast_channels`, in the form of `ChannelName`.
    package var broadcastChannels: Set<String>

    /// Takes the settings as they are.
    package init(isOn: Bool, maximumAge: UInt64, broadcastChannels: Set<String> = []) {
        self.isOn = isOn
        self.maximumAge = maximumAge
        self.broadcastChannels = broadcastChannels
    }
}

/// An accepted transaction: the parts that decide whether it becomes an event.
package struct AcceptedTransaction: Sendable {
    package var kind: PushKind
    /// A broadcast's channel; nil if its name is not valid.
    package var channelName: String?
    /// Milliseconds since 1970.
    package var blockTime: UInt64
    /// The chain's time, milliseconds since 1970.
    package var chainTime: UInt64
    package var intake: EventIntake

    /// Takes times of the chain, not of the wall clock.
    package init(
        _ kind: PushKind, channelName: String? = nil, blockTime: UInt64, chainTime: UInt64, intake: EventIntake
    ) {
        self.kind = kind
        self.channelName = channelName
        self.blockTime = blockTime
        self.chainTime = chainTime
        self.intake = intake
    }
}

/// Whether an accepted transaction becomes an event.
package enum EventDecision: Equatable, Sendable {
    case queued
    /// It is not pushed, and counted.
    case tooOld
    /// Nobody is notified.
    case nobody
}

/// A question about a sender whose time is up.
package struct UnansweredSender: Sendable {
    /// The limits of waiting for senders, milliseconds since 1970.
    package struct Times: Equatable, Sendable {
        /// When the questions end for a sender that no event waits for.
        package var askingUntil: UInt64
        /// When the wait ends for an event that needs its sender, if the node was hardly asked.
        package var waitingUntil: UInt64
        /// Transactions of earlier blocks are not pushed any more.
        package var newsSince: UInt64

        /// Takes three moments, not durations.
        package init(askingUntil: UInt64, waitingUntil: UInt64, newsSince: UInt64) {
            self.askingUntil = askingUntil
            self.waitingUntil = waitingUntil
            self.newsSince = newsSince
        }
    }

    package var question: UnresolvedSender
    /// The operation's block time, milliseconds since 1970; nil when its row cannot be read.
    package var blockTime: UInt64?
    package var times: Times

    /// Takes the question's row, before the decision.
    package init(_ question: UnresolvedSender, blockTime: UInt64?, times: Times) {
        self.question = question
        self.blockTime = blockTime
        self.times = times
    }

    var wasHardlyAsked: Bool { question.attempts < PushPolicy.fewestSenderQuestions }
}

/// A device in one of an event's watcher lists.
package struct Watcher: Sendable {
    package var event: PushEvent
    package var device: DeviceRecord
    /// The list's position.
    package var list: Int
    /// The chain's time, milliseconds since 1970.
    ///
    /// A later registration was dated by a wrong clock.
    package var chainTime: UInt64

    /// Takes the device as its registration is now.
    package init(_ event: PushEvent, _ device: DeviceRecord, list: Int, chainTime: UInt64) {
        self.event = event
        self.device = device
        self.list = list
        self.chainTime = chainTime
    }

    var kind: PushKind { event.kind }
    var subject: PushSubject { event.subject }
    var sender: Address? { event.sender }
    var isForInbox: Bool { subject.inboxTag != nil && list == 0 }
    var watchesSender: Bool { sender.map(device.watchedAddresses.contains) == true }

    /// What the device's addresses receive of a plain transfer.
    var share: Funds.Share? { event.funds?.share(of: Set(device.watchOnlyAddresses)) }

    var spendsOwnCoins: Bool {
        let watched = Set(device.watchOnlyAddresses)
        return event.funds?.spenders.contains { watched.contains($0) || device.owns($0) } == true
    }

    var isBeforeRegistration: Bool {
        let tolerance = PushPolicy.registrationTolerance
        return event.blockTime.later(by: tolerance) < device.createdAt
            && device.createdAt <= chainTime.later(by: tolerance)
    }
}

/// A delivery that has its turn.
package struct Due: Sendable {
    package var delivery: DueDelivery
    /// Milliseconds since 1970.
    package var now: UInt64

    /// Takes the rows that were read when the device was marked as busy.
    package init(_ delivery: DueDelivery, now: UInt64) {
        self.delivery = delivery
        self.now = now
    }
}

/// The decision about a delivery that has its turn.
package enum DueDecision: Equatable, Sendable {
    case sent(DeviceTarget, OperationPayload)
    case suppressed(SuppressionReason)
    case expired
}

/// A device that may ring for a call.
package struct Callee: Sendable {
    package var device: DeviceRecord
    /// The address that is called.
    package var address: Address
    /// The device that calls.
    package var caller: DeviceID
    /// VoIP tokens that ring already, and the caller's own, which must not ring.
    package var rung: Set<[UInt8]>

    /// Takes the device as its registration is now.
    package init(_ device: DeviceRecord, called address: Address, by caller: DeviceID, rung: Set<[UInt8]> = []) {
        self.device = device
        self.address = address
        self.caller = caller
        self.rung = rung
    }
}

extension PushKind {
    /// Whether it is about coins for one receiver, as `OperationKind.paysReceiver` says of the operation.
    var paysReceiver: Bool { self == .payment || self == .handshake }
}
