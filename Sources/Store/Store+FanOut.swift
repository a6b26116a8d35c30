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
    /// The device was told of such things 30 times within an hour (`HourlyLimit`).
    case hourlyLimit = "hourly_limit"
    /// The device's owner hides this sender in the channel.
    case hiddenSender = "hidden_sender"
    /// There is nothing to correct: the payment's own notification never reached the device.
    case neverTold = "never_told"
}

/// One bounded step of turning an event into deliveries.
public struct FanOutStep: Equatable, Sendable {
    /// Watchers that get a delivery.
    public var notified = 0
    /// Watchers that get none, by reason; those skipped are not counted.
    public var suppressed: [SuppressionReason: Int] = [:]
    /// Whether all watchers have been looked at; the event is then gone.
    public var finished = false
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

extension Store {
    /// Events in order after `number`, at most `limit`.
    public func events(after number: UInt64, limit: Int) throws(StoreError) -> [PushEvent] {
        guard number < .max else { return [] }
        return try database.list(
            .events, from: PushEvent.key(number + 1), below: KeyBytes.successor(ofPrefix: []), limit: limit
        ) { (row) throws(StoreError) in try PushEvent(row, network: network) }
    }

    /// The number of the event that was queued last, waiting or not; 0 before the first.
    public func lastEventNumber() throws(StoreError) -> UInt64 { try database.lastEventNumber() }

    /// Looks at the next `limit` watchers of an event in one batch: deliveries, schedule, numbering and progress.
    ///
    /// `lists` are the watcher lists in their fixed order for this event; `decide` is asked with the list's position.
    /// Deliveries beyond the first `ordinaryWatchers` of an event go to the bulk lane. An event that is gone is
    /// finished.
    public func fanOut(
        event number: UInt64, lists: [WatchKey], limit: Int, ordinaryWatchers: UInt64, now: UInt64, expiresAt: UInt64,
        decide: @escaping @Sendable (DeviceRecord, Int) -> WatcherDecision
    ) async throws(StoreError) -> FanOutStep {
        let walk = FanOutWalk(event: number, lists: lists, expiresAt: expiresAt, decide: decide)
        let steps = try await fanOut([walk], limit: limit, ordinaryWatchers: ordinaryWatchers, now: now)
        return steps.first ?? FanOutStep()
    }

    /// The same for several events, one after another in one batch: all of it is written, or nothing.
    ///
    /// Each event has `limit` watchers looked at; once that many were in the whole batch, it ends behind the event. So it
    /// takes less than twice `limit`, and the answer has the steps of the first events, of one at least.
    public func fanOut(
        _ walks: [FanOutWalk], limit: Int, ordinaryWatchers: UInt64, now: UInt64
    ) async throws(StoreError) -> [FanOutStep] {
        let (network, limits) = (network, limits)
        return try await write(.growth) { (transaction) throws(StoreError) in
            var steps: [FanOutStep] = []
            var remaining = limit
            for walk in walks {
                let (step, walked) = try transaction.fanOut(
                    walk, limit: limit, ordinaryWatchers: ordinaryWatchers, now: now, limits: limits, network: network)
                steps.append(step)
                remaining -= walked
                guard remaining > 0 else { break }
            }
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
}

extension StoreReading {
    func lastEventNumber() throws(StoreError) -> UInt64 {
        guard let stored = try get(.meta, MetaKey.lastEvent) else { return 0 }
        return try Self.count(stored)
    }
}

extension WriteTransaction {
    /// One step of one event; also returns how many watchers were looked at.
    fileprivate func fanOut(
        _ walk: FanOutWalk, limit: Int, ordinaryWatchers: UInt64, now: UInt64, limits: StoreLimits, network: Network
    ) throws(StoreError) -> (step: FanOutStep, walked: Int) {
        var step = FanOutStep()
        guard let stored = try get(.events, PushEvent.key(walk.event)) else {
            step.finished = true
            return (step, 0)
        }
        var event = try PushEvent(number: walk.event, encoded: stored, network: network)
        var remaining = limit
        while remaining > 0, Int(event.progress.list) < walk.lists.count {
            let list = Int(event.progress.list)
            let devices = try watchers(walk.lists[list], after: event.progress.last, limit: remaining)
            for id in devices {
                let lane: ScheduleKey.Lane = event.progress.walked < ordinaryWatchers ? .ordinary : .bulk
                event.progress.walked += 1
                event.progress.last = id
                guard let device = try device(id, network: network) else { continue }
                var decision = walk.decide(device, list)
                if let limit = decision.limit {
                    decision = try admit(event: walk.event, to: id, within: limit, now: now) ?? decision
                }
                switch decision {
                case .skip: continue
                case .suppress(let reason): step.suppressed[reason, default: 0] += 1
                case .notify, .notifyWithin, .notifyFunds:
                    step.notified += 1
                    let key = try enqueueDelivery(
                        of: event, to: id, lane: lane, due: now, expiresAt: walk.expiresAt, limits: limits,
                        network: network
                    ) {
                        guard case .notifyFunds(let address, let amount) = decision else { return }
                        $0.address = address
                        $0.amount = amount
                    }
                    if let key { step.scheduled.append(key) }
                }
            }
            if devices.count < remaining {
                event.progress.list += 1
                event.progress.last = nil
            }
            remaining -= devices.count
        }
        step.finished = Int(event.progress.list) >= walk.lists.count
        try close(event, step)
        return (step, limit - remaining)
    }

    /// Why a device is not told, although the rule says so; nil when it is told, which is then written down.
    ///
    /// The times are in the store, so that a restart forgives none; an unregister forgets them. The numbers of the hour's
    /// events also keep a device from being told twice within the limit that changes what it watches during the walk:
    /// `.skip`.
    private func admit(
        event: UInt64, to id: DeviceID, within limit: HourlyLimit, now: UInt64
    ) throws(StoreError) -> WatcherDecision? {
        var recent = try recentPushes(limit, to: id)
        guard !recent.contains(event: event) else { return .skip }
        guard recent.add(event: event, now: now) else { return .suppress(.hourlyLimit) }
        put(.recentFunds, limit.key(of: id), recent.encoded)
        return nil
    }

    /// Writes down how far an event's walk has come; one that is finished goes.
    func close(_ event: PushEvent, _ step: FanOutStep) throws(StoreError) {
        if step.finished {
            delete(.events, PushEvent.key(event.number))
            try adjust(.events, by: -1)
            try adjust(.eventsFannedOut, by: 1)
        } else {
            put(.events, PushEvent.key(event.number), event.encoded)
        }
        try countDeliveries(step)
    }

    /// Numbers and stores a delivery; it enters the schedule only if the device has nothing else waiting.
    func enqueueDelivery(
        of event: PushEvent, to id: DeviceID, lane: ScheduleKey.Lane, due: UInt64, expiresAt: UInt64,
        limits: StoreLimits, network: Network, _ complete: (inout Delivery) -> Void
    ) throws(StoreError) -> ScheduleKey? {
        var state = try deviceState(id)
        state.lastSeq += 1
        var delivery = Delivery(device: id, seq: state.lastSeq, event: event, expiresAt: expiresAt)
        complete(&delivery)
        put(.deliveries, delivery.key, delivery.encoded)
        try log(delivery, limits: limits, network: network)
        var key: ScheduleKey?
        if state.scheduled == nil {
            key = schedule(delivery.seq, of: id, due: due, lane: lane, in: &state)
            note(waiting: [delivery.seq], for: id)
        } else {
            note(following: delivery.seq, for: id)
        }
        put(.deviceStates, id.bytes, state.encoded)
        return key
    }

    /// Puts a device's first delivery into the schedule and remembers where.
    func schedule(
        _ seq: UInt64, of device: DeviceID, due: UInt64, lane: ScheduleKey.Lane, in state: inout DeviceState
    ) -> ScheduleKey {
        let key = ScheduleKey(lane: lane, due: due, device: device, seq: seq)
        put(.schedule, key.bytes, [])
        state.scheduled = DeviceState.Scheduled(seq: seq, due: due, lane: lane)
        return key
    }
}
