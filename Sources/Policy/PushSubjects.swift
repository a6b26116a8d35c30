package import Kaspa
package import Store

/// What an operator's settings say about events.
package struct EventIntake: Equatable, Sendable {
    /// Whether APNs is configured.
    package var isOn: Bool
    /// `push.max_age`, milliseconds.
    package var maximumAge: UInt64
    /// `push.broadcast_channels`, as `ChannelName` has them.
    package var broadcastChannels: Set<String>

    /// Takes the settings as they are.
    package init(isOn: Bool, maximumAge: UInt64, broadcastChannels: Set<String> = []) {
        self.isOn = isOn
        self.maximumAge = maximumAge
        self.broadcastChannels = broadcastChannels
    }
}

/// A transaction that the chain has accepted, as far as it matters for whether it becomes an event.
package struct AcceptedTransaction: Sendable {
    package var kind: PushKind
    /// Of a broadcast; nil if it is no valid name.
    package var channelName: String?
    /// Milliseconds since 1970.
    package var blockTime: UInt64
    /// How late it is on the chain, milliseconds since 1970.
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
    /// Not pushed, and counted.
    case tooOld
    /// Nobody is told of such things here.
    case nobody
}

/// A question about a sender whose time is up.
package struct UnansweredSender: Sendable {
    /// Until when senders are waited for, milliseconds since 1970.
    package struct Times: Equatable, Sendable {
        /// A sender that no event waits for is asked for until then.
        package var askingUntil: UInt64
        /// An event that is for nobody without its sender waits until then, if the node was hardly asked.
        package var waitingUntil: UInt64
        /// What is from an earlier block is no news any more.
        package var newsSince: UInt64

        /// Takes three moments, not spans of time.
        package init(askingUntil: UInt64, waitingUntil: UInt64, newsSince: UInt64) {
            self.askingUntil = askingUntil
            self.waitingUntil = waitingUntil
            self.newsSince = newsSince
        }
    }

    package var question: UnresolvedSender
    /// The operation's, milliseconds since 1970; nil when its row cannot be read.
    package var blockTime: UInt64?
    package var times: Times

    /// Takes the row as it is, before anything is decided.
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
    /// How late it is on the chain: what registered later than that had a wrong clock.
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

    /// Of a plain transfer: what the device's addresses get.
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

    /// Takes what was read when the device was marked as busy.
    package init(_ delivery: DueDelivery, now: UInt64) {
        self.delivery = delivery
        self.now = now
    }
}

/// What becomes of a delivery that has its turn.
package enum DueDecision: Equatable, Sendable {
    case sent(DeviceTarget, OperationPayload)
    case suppressed(SuppressionReason)
    case expired
}

/// A device that may ring for a call.
package struct Callee: Sendable {
    package var device: DeviceRecord
    /// Who is called.
    package var address: Address
    /// The device that calls.
    package var caller: DeviceID
    /// VoIP tokens that ring already, or must not: the caller's own.
    package var rung: Set<[UInt8]>

    /// Takes the device as its registration is now.
    package init(_ device: DeviceRecord, called address: Address, by caller: DeviceID, rung: Set<[UInt8]> = []) {
        self.device = device
        self.address = address
        self.caller = caller
        self.rung = rung
    }
}
