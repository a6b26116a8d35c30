import Kaspa

/// What the push rules say about one watcher of an event.
public enum WatcherDecision: Equatable, Sendable {
    case notify
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
}

/// One bounded step of turning an event into deliveries.
public struct FanOutStep: Equatable, Sendable {
    public var notified = 0
    public var suppressed: [SuppressionReason: Int] = [:]
    /// Whether all watchers have been looked at; the event is then gone.
    public var finished = false
    /// The schedule entries that were added, for whoever scans the schedule.
    public var scheduled: [ScheduleKey] = []

    public init() {}
}

extension Store {
    /// Events in order after `number`, at most `limit`.
    public func events(after number: UInt64, limit: Int) throws(StoreError) -> [PushEvent] {
        guard number < .max else { return [] }
        return try database.list(
            .events, from: PushEvent.key(number + 1), below: KeyBytes.successor(ofPrefix: []), limit: limit
        ) { (row) throws(StoreError) in try PushEvent(row, network: network) }
    }

    /// Looks at the next `limit` watchers of an event in one batch: deliveries, schedule, numbering and progress.
    ///
    /// `lists` are the watcher lists in their fixed order for this event; `decide` is asked with the list's position.
    /// Deliveries beyond the first `ordinaryWatchers` of an event go to the bulk lane. An event that is gone is
    /// finished.
    public func fanOut(
        event number: UInt64, lists: [WatchKey], limit: Int, ordinaryWatchers: UInt64, now: UInt64, expiresAt: UInt64,
        decide: @Sendable (DeviceRecord, Int) -> WatcherDecision
    ) async throws(StoreError) -> FanOutStep {
        let (network, limits) = (network, limits)
        return try await write(.growth) { (transaction) throws(StoreError) in
            var step = FanOutStep()
            guard let stored = try transaction.get(.events, PushEvent.key(number)) else {
                step.finished = true
                return step
            }
            var event = try PushEvent(number: number, encoded: stored, network: network)
            var remaining = limit
            while remaining > 0, Int(event.progress.list) < lists.count {
                let list = Int(event.progress.list)
                let devices = try transaction.watchers(lists[list], after: event.progress.last, limit: remaining)
                for id in devices {
                    let lane: ScheduleKey.Lane = event.progress.walked < ordinaryWatchers ? .ordinary : .bulk
                    event.progress.walked += 1
                    event.progress.last = id
                    guard let device = try transaction.device(id, network: network) else { continue }
                    switch decide(device, list) {
                    case .skip: continue
                    case .suppress(let reason): step.suppressed[reason, default: 0] += 1
                    case .notify:
                        step.notified += 1
                        let key = try transaction.enqueueDelivery(
                            of: event, to: id, lane: lane, due: now, expiresAt: expiresAt, limits: limits,
                            network: network)
                        if let key { step.scheduled.append(key) }
                    }
                }
                if devices.count < remaining {
                    event.progress.list += 1
                    event.progress.last = nil
                }
                remaining -= devices.count
            }
            step.finished = Int(event.progress.list) >= lists.count
            if step.finished {
                transaction.delete(.events, PushEvent.key(number))
                try transaction.adjust(.events, by: -1)
                try transaction.adjust(.eventsFannedOut, by: 1)
            } else {
                transaction.put(.events, PushEvent.key(number), event.encoded)
            }
            try transaction.countDeliveries(step)
            return step
        }
    }
}

extension WriteTransaction {
    /// Numbers and stores a delivery; it enters the schedule only if the device has nothing else waiting.
    fileprivate func enqueueDelivery(
        of event: PushEvent, to id: DeviceID, lane: ScheduleKey.Lane, due: UInt64, expiresAt: UInt64,
        limits: StoreLimits, network: Network
    ) throws(StoreError) -> ScheduleKey? {
        var state = try deviceState(id)
        state.lastSeq += 1
        let delivery = Delivery(device: id, seq: state.lastSeq, event: event, expiresAt: expiresAt)
        put(.deliveries, delivery.key, delivery.encoded)
        try log(delivery, limits: limits, network: network)
        var key: ScheduleKey?
        if state.scheduled == nil {
            key = schedule(delivery, due: due, lane: lane, in: &state)
        }
        put(.deviceStates, id.bytes, state.encoded)
        return key
    }

    /// Puts a device's first delivery into the schedule and remembers where.
    func schedule(
        _ delivery: Delivery, due: UInt64, lane: ScheduleKey.Lane, in state: inout DeviceState
    ) -> ScheduleKey {
        let key = ScheduleKey(lane: lane, due: due, device: delivery.device, seq: delivery.seq)
        put(.schedule, key.bytes, [])
        state.scheduled = DeviceState.Scheduled(seq: delivery.seq, due: due, lane: lane)
        return key
    }
}
