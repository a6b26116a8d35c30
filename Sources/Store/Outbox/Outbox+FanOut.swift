public import Kaspa

/// What the push rules say about one watcher of an event.
public enum WatcherDecision: Equatable, Sendable {
    case notify
    /// The device is told, unless it was told so often within the hour.
    case notifyWithin(HourlyLimit)
    /// The device is told that an address of its own, and perhaps others, got so many sompi, within the limit on funds.
    case notifyFunds(address: Address, amount: UInt64)
    /// The device is not told; the reason is counted.
    case suppress(SuppressionReason)
    /// The device is in this list but the rule is about another one: nothing is counted.
    case skip
}

/// Why a matching device is not told of an event, or no longer.
public enum SuppressionReason: String, CaseIterable, Sendable {
    /// The device owner sent it.
    case ownMessage = "own_message"
    /// The device lists aliases, and the message's is not one of them.
    case otherAlias = "other_alias"
    /// The device lacks a capability that this kind needs.
    case missingCapability = "missing_capability"
    /// The transaction is from before the device's registration.
    case beforeRegistration = "before_registration"
    /// The device was unregistered or removed while the delivery waited.
    case deviceRemoved = "device_removed"
    /// The operation's row is gone: nothing is left to tell.
    case operationGone = "operation_gone"
    /// The device owner moved coins of its own.
    case ownTransfer = "own_transfer"
    /// The device was told of such things as often as it is within an hour (`HourlyLimit`).
    case hourlyLimit = "hourly_limit"
    /// The device's owner hides this sender in the channel.
    case hiddenSender = "hidden_sender"
    /// There is nothing to correct: the payment's own notification never reached the device.
    case neverTold = "never_told"
    /// The carrier has never accepted the device's token, and as many deliveries wait for it as may.
    case onProbation = "on_probation"
    /// More deliveries wait for the device than may: the oldest went.
    case queueFull = "queue_full"
}

/// One bounded step of turning an event into deliveries.
public struct FanOutStep: Equatable, Sendable {
    /// Watchers that get a delivery.
    public var notified = 0
    /// Watchers that get none, by reason; those skipped are not counted.
    public var suppressed: [SuppressionReason: Int] = [:]
    /// Deliveries of before that were dropped, since too many wait for their devices (`queueFull`).
    public var dropped = 0
    /// Watchers looked at.
    public var walked = 0
    /// Whether all watchers have been looked at, or the event has expired; it is then gone.
    public var finished = false
    /// Whether it is gone because its time was over.
    public var isExpired = false
    /// The schedule entries that were added, for whoever scans the schedule.
    public var scheduled: [ScheduleKey] = []

    /// Nothing notified, nothing suppressed, not finished.
    public init() {}
}

/// An event whose watchers are looked at, and by which rule.
public struct FanOutWalk: Sendable {
    /// Its number.
    public var event: UInt64
    /// The watcher lists in their fixed order for this event.
    public var lists: [WatchKey]
    /// When its deliveries are given up, milliseconds since 1970.
    public var expiresAt: UInt64
    /// Asked for each watcher, with the list's position.
    public var decide: @Sendable (DeviceRecord, Int) -> WatcherDecision

    /// Takes the rule, not a place: how far the walk has come is in the store.
    public init(
        event: UInt64, lists: [WatchKey], expiresAt: UInt64,
        decide: @escaping @Sendable (DeviceRecord, Int) -> WatcherDecision
    ) {
        self.event = event
        self.lists = lists
        self.expiresAt = expiresAt
        self.decide = decide
    }
}

extension Outbox {
    /// Looks at the next `limit` watchers of each event in turn, and writes deliveries, schedule, numbers and progress in
    /// one batch: all of it, or nothing.
    ///
    /// Once the batch has looked at `limit` watchers, it ends behind the event that it is at: it looks at fewer than twice
    /// `limit`. The answer has a step for each event that it came to, at least one. Deliveries beyond the first
    /// `ordinaryWatchers` of an event go to the bulk lane. An event that is gone is finished. A long event that has
    /// expired is given up: its deliveries would expire unsent.
    public func fanOut(
        _ walks: [FanOutWalk], limit: Int, ordinaryWatchers: UInt64, now: UInt64
    ) async throws(StoreError) -> [FanOutStep] {
        let (network, limits) = (network, limits)
        return try await write(.growth) { (transaction) throws(StoreError) in
            var steps: [FanOutStep] = []
            var remaining = limit
            try transaction.willRead { () throws(StoreError) in
                try transaction.rows(of: walks, limit: limit, limits, network)
            }
            for walk in walks {
                try transaction.tellOthers(of: walk, network: network)
                let step = try transaction.fanOut(
                    walk, limit: limit, ordinaryWatchers: ordinaryWatchers, now: now, limits: limits, network: network)
                steps.append(step)
                remaining -= step.walked
                guard remaining > 0 else { break }
            }
            if steps.contains(where: { !$0.scheduled.isEmpty }) { try transaction.note(due: now) }
            return steps
        }
    }
}

extension WatcherDecision {
    fileprivate var limit: HourlyLimit? {
        switch self {
        case .notifyWithin(let limit): limit
        case .notifyFunds: .funds
        case .notify, .suppress, .skip: nil
        }
    }

    /// Whether the device is told, if there is room for it.
    fileprivate var tells: Bool {
        switch self {
        case .notify, .notifyWithin, .notifyFunds: true
        case .suppress, .skip: false
        }
    }
}

extension StoreReading {
    func recentPushes(_ limit: HourlyLimit, to device: DeviceID) throws(StoreError) -> RecentPushes {
        guard let stored = try get(.recentFunds, limit.key(of: device)) else { return RecentPushes() }
        return try RecentPushes(encoded: stored)
    }
}

extension WriteTransaction {
    /// One step of one event.
    fileprivate func fanOut(
        _ walk: FanOutWalk, limit: Int, ordinaryWatchers: UInt64, now: UInt64, limits: StoreLimits, network: Network
    ) throws(StoreError) -> FanOutStep {
        var step = FanOutStep()
        guard let stored = try get(.events, PushEvent.key(walk.event)) else {
            step.finished = true
            return step
        }
        var event = try PushEvent(number: walk.event, encoded: stored, network: network)
        let wasLong = event.isLong(limits)
        let isFirstStep = event.progress.walked == 0
        if wasLong, now >= walk.expiresAt {
            step.isExpired = true
            try close(event, wasLong: wasLong, &step, limits: limits)
            return step
        }
        while step.walked < limit, Int(event.progress.list) < walk.lists.count {
            let list = Int(event.progress.list)
            let devices = try watchers(
                walk.lists[list], after: event.progress.last, in: shards.firstBytes(of: shards.own),
                limit: limit - step.walked)
            let hourly = HourlyLimit(of: event.kind, walk.lists[list])
            try willRead { () throws(StoreError) in try rows(of: [(devices, hourly)], limits) }
            for id in devices {
                let lane: ScheduleKey.Lane = event.progress.walked < ordinaryWatchers ? .ordinary : .bulk
                event.progress.walked += 1
                event.progress.last = id
                let queued = QueuedEvent(
                    event: event, lane: lane, now: now, expiresAt: walk.expiresAt, limits: limits, network: network)
                try look(at: id, queued, &step) { walk.decide($0, list) }
            }
            step.walked += devices.count
            if step.walked < limit {
                event.progress.list += 1
                event.progress.last = nil
            }
        }
        step.finished = Int(event.progress.list) >= walk.lists.count
        try close(event, wasLong: wasLong, &step, limits: limits)
        if isFirstStep, step.finished, step.notified == 0 { untold.append(event.transactionID) }
        return step
    }

    /// Asks the rule about one watcher, and does what it says.
    private func look(
        at id: DeviceID, _ queued: QueuedEvent, _ step: inout FanOutStep, decide: (DeviceRecord) -> WatcherDecision
    ) throws(StoreError) {
        let (state, limits) = (try deviceState(id), queued.limits)
        let isFull = !state.isAccepted && state.waiting >= state.capacity(limits)
        // The rule is not asked: anybody can make up any number of tokens, each with a long watch list.
        if isFull, state.unacceptedSince != nil || state.lastSeq >= limits.numberedBeforeAnswer {
            step.suppressed[.onProbation, default: 0] += 1
            return
        }
        guard let device = try device(id, network: queued.network) else { return }
        let decision = decide(device)
        if isFull, decision.tells {
            step.suppressed[.onProbation, default: 0] += 1
            try logSuppressed(queued, to: id, state, .onProbation)
        } else {
            try tell(id, device.platform.carrier, state, queued, decision, &step)
        }
    }

    /// Does what the rule says of one watcher.
    private func tell(
        _ id: DeviceID, _ carrier: CarrierName, _ state: DeviceState, _ queued: QueuedEvent,
        _ decision: WatcherDecision, _ step: inout FanOutStep
    ) throws(StoreError) {
        if case .suppress(let reason) = decision {
            step.suppressed[reason, default: 0] += 1
            return
        }
        guard decision != .skip else { return }
        var isSummary = false
        if let limit = decision.limit {
            switch try admit(event: queued.event.number, to: id, within: limit, now: queued.now) {
            case .told: break
            case .summary: isSummary = true
            case .repeated: return
            case .full:
                step.suppressed[.hourlyLimit, default: 0] += 1
                if limit.isLogged { try logSuppressed(queued, to: id, state, .hourlyLimit) }
                return
            }
        }
        step.notified += 1
        try enqueueDelivery(queued, to: id, by: carrier, state, &step) {
            if isSummary { $0.omitsPayload = true }
            guard case .notifyFunds(let address, let amount) = decision else { return }
            $0.address = address
            $0.amount = amount
        }
    }

    /// Whether a device may be told within a limit; a push that may is written down.
    ///
    /// The times are in the store, so that they survive a restart; an unregister deletes them. The event numbers among
    /// them keep a device that changes its watch list during the walk from being told twice.
    private func admit(
        event: UInt64, to id: DeviceID, within limit: HourlyLimit, now: UInt64
    ) throws(StoreError) -> RecentPushes.Admission {
        var recent = try recentPushes(limit, to: id)
        let admission = recent.admit(event: event, within: limit, now: now)
        switch admission {
        case .told, .summary: put(.recentFunds, limit.key(of: id), recent.encoded)
        case .repeated, .full: break
        }
        return admission
    }

    /// Writes how far an event's walk has come; deletes an event that is finished or has expired.
    func close(
        _ event: PushEvent, wasLong: Bool, _ step: inout FanOutStep, limits: StoreLimits
    ) throws(StoreError) {
        if step.isExpired { step.finished = true }
        if step.finished {
            delete(.events, PushEvent.key(event.number))
            try adjust(.events, by: -1)
            try adjust(step.isExpired ? .eventsExpired : .eventsFannedOut, by: 1)
        } else {
            put(.events, PushEvent.key(event.number), event.encoded)
        }
        let isLong = !step.finished && event.isLong(limits)
        try adjust(.eventsLong, by: (isLong ? 1 : 0) - (wasLong ? 1 : 0))
        try countDeliveries(step)
    }
}

/// An event on its way to a device's queue.
struct QueuedEvent {
    var event: PushEvent
    /// Where a delivery stands whose device its carrier has accepted.
    var lane: ScheduleKey.Lane
    /// Milliseconds since 1970: deliveries are due at once.
    var now: UInt64
    var expiresAt: UInt64
    var limits: StoreLimits
    var network: Network
}

extension WriteTransaction {
    /// Numbers and stores a delivery; it enters the schedule only if the device has nothing else waiting.
    ///
    /// If as many wait as may, the oldest behind the first is dropped; two are while more wait, as an older store may
    /// have left them.
    func enqueueDelivery(
        _ queued: QueuedEvent, to id: DeviceID, by carrier: CarrierName, _ before: DeviceState,
        _ step: inout FanOutStep,
        _ complete: (inout Delivery) -> Void
    ) throws(StoreError) {
        var state = before
        state.lastSeq += 1
        var delivery = Delivery(device: id, seq: state.lastSeq, event: queued.event, expiresAt: queued.expiresAt)
        complete(&delivery)
        for _ in 0..<2 where state.waiting >= queued.limits.queuedPerDevice {
            if try dropOldest(of: id, &state, queued) { step.dropped += 1 }
        }
        put(.deliveries, delivery.key, delivery.encoded)
        try log(delivery, limits: queued.limits, network: queued.network)
        if state.scheduled == nil {
            let key = schedule(
                delivery.seq, of: id, due: queued.now, by: carrier, lane: state.lane(queued.lane), in: &state)
            step.scheduled.append(key)
            note(waiting: [delivery.seq], for: id)
        } else {
            state.waiting += 1
            note(following: delivery.seq, for: id)
        }
        put(.deviceStates, id.bytes, state.encoded)
    }

    /// Numbers and logs what a device is not told of, so that its app finds it when it asks what was missed.
    private func logSuppressed(
        _ queued: QueuedEvent, to id: DeviceID, _ before: DeviceState, _ reason: SuppressionReason
    ) throws(StoreError) {
        var state = before
        state.lastSeq += 1
        var entry = DeliveryLogEntry(
            Delivery(device: id, seq: state.lastSeq, event: queued.event, expiresAt: queued.expiresAt))
        entry.suppress(reason, at: queued.now)
        try log(entry, limits: queued.limits, network: queued.network)
        put(.deviceStates, id.bytes, state.encoded)
    }

    /// Drops the oldest waiting delivery but the scheduled one, which may be on its way; false if there is none.
    ///
    /// What it was stays in the log. The caller counts it.
    private func dropOldest(
        of id: DeviceID, _ state: inout DeviceState, _ queued: QueuedEvent
    ) throws(StoreError) -> Bool {
        guard let first = state.scheduled?.seq else { return false }
        let queue = waiting(for: id)
        var oldest = queue?.first { $0 != first }
        if oldest == nil { oldest = try seqs(of: id, from: state.firstKept, limit: 2).first { $0 != first } }
        guard let seq = oldest else { return false }
        if let stored = try get(.deliveries, Delivery.key(id, seq)) {
            let delivery = try Delivery(device: id, seq: seq, encoded: stored, network: queued.network)
            try logSuppression(
                of: delivery, .queueFull, last: state.lastSeq, now: queued.now, limits: queued.limits,
                network: queued.network)
        }
        delete(.deliveries, Delivery.key(id, seq))
        note(waiting: queue?.filter { $0 != seq }, for: id)
        state.waiting -= min(1, state.waiting)
        state.firstKept = seq + 1
        return true
    }

    /// Puts a device's first delivery into the schedule and remembers where; what waits behind it goes on waiting.
    func schedule(
        _ seq: UInt64, of device: DeviceID, due: UInt64, by carrier: CarrierName, lane: ScheduleKey.Lane,
        rest: UInt32 = 0, in state: inout DeviceState
    ) -> ScheduleKey {
        let place = DeviceState.Scheduled(seq: seq, due: due, lane: lane, carrier: carrier)
        let key = place.key(of: device)
        put(.schedule, key.bytes, [])
        state.begin(place, rest: rest)
        return key
    }
}
