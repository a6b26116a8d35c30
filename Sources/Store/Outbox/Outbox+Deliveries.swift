public import Kaspa

/// A delivery with what its notification is built from.
public struct DueDelivery: Sendable {
    /// What is to be sent.
    public var delivery: Delivery
    /// nil: the device was removed meanwhile.
    public var device: DeviceTarget?
    /// The transaction's payload, empty for kinds that need none; nil: the operation is gone.
    public var payload: OperationPayload?
    /// Of a correction: whether the carrier took the notification that it corrects; else true.
    public var wasTold: Bool
    /// Whether the carrier has ever accepted a notification for the device's token.
    public var isAccepted: Bool
}

/// What happened to a delivery in one attempt.
public struct Settlement: Sendable {
    /// What becomes of the delivery.
    public enum Next: Equatable, Sendable {
        /// Answered for good, given up or suppressed: it leaves the outbox.
        case done
        /// It waits until `due` (milliseconds since 1970), without its payload from now on if `omitsPayload`.
        case retry(at: UInt64, omitsPayload: Bool)
    }

    /// What the answer says about the device.
    public enum DeviceEffect: Equatable, Sendable {
        case none
        /// A success: strikes are forgotten, and probation is over.
        case alive
        /// The same, and the token is good at this environment, which is kept unless the app has said which.
        case aliveAt(DeviceRecord.Environment)
        /// The token was called invalid; at `limit` in a row the device is removed: one on probation always, another if
        /// `mayRemove`.
        case strike(limit: Int, mayRemove: Bool)
        /// Another refusal that is the token's own: a device is removed that has been on probation for a week since the
        /// first.
        case unaccepted
        /// The carrier says the token was gone at this time (milliseconds since 1970): removed unless it registered after it.
        case gone(at: UInt64)
    }

    /// The place in the schedule that the delivery was taken from.
    public var key: ScheduleKey
    /// A device that was removed and came back numbers from 1 again: the transaction tells its deliveries apart.
    public var transactionID: TransactionID
    /// What becomes of the delivery.
    public var next: Next
    /// What the answer says about the device.
    public var effect: DeviceEffect
    /// How it ended, if it is done.
    public var ending: DeliveryLogEntry.State
    /// Why, in a word or two, for whoever asks; empty: nothing to add to what is known.
    public var reason: String
    /// Whether it was handed to the carrier: an attempt.
    public var wasSent: Bool

    /// An attempt that was sent and, if done, delivered, and that says nothing about the device, unless given
    /// otherwise.
    public init(
        key: ScheduleKey, transactionID: TransactionID, next: Next, effect: DeviceEffect = .none,
        ending: DeliveryLogEntry.State = .delivered, reason: String = "", wasSent: Bool = true
    ) {
        self.key = key
        self.transactionID = transactionID
        self.next = next
        self.effect = effect
        self.ending = ending
        self.reason = reason
        self.wasSent = wasSent
    }
}

/// What a settlement did beyond the delivery itself.
public struct SettlementResult: Equatable, Sendable {
    /// Whether the delivery was still there; false when its device had been removed.
    public var found = false
    /// The device was removed by this settlement, with so many other waiting deliveries.
    public var removedWith: Int?
    /// The device's next place in the schedule.
    public var scheduled: ScheduleKey?
    /// Attempts so far of a delivery that is tried again.
    public var attempts: UInt32 = 0
}

extension Outbox {
    /// Everything needed to send what stands at `key`; nil when that is no longer the device's place in the schedule.
    ///
    /// Delivery and device are as they stood at one moment of the call.
    package func dueDelivery(_ key: ScheduleKey) throws(StoreError) -> DueDelivery? {
        try dueDelivery(key, in: database.snapshot())
    }

    /// The same, where `snapshot` is no older than the key: what memory does not hold is of its moment.
    private func dueDelivery(_ key: ScheduleKey, in snapshot: any StoreReading) throws(StoreError) -> DueDelivery? {
        let rows = database.rowCache.due(key.device, key.seq)
        let found =
            if let rows { try due(key, rows) } else { try due(key, onDisk: snapshot) }
        guard var due = found else { return nil }
        if due.delivery.kind.usesPayload, due.payload == nil {
            due.payload = try snapshot.operationPayload(due.delivery.transactionID)
        }
        due.wasTold = try snapshot.wasTold(due.delivery, network: network)
        return due
    }

    /// What stands at these places, where memory does not hold it: read at once where an engine can.
    func dueDeliveries(
        onDisk keys: [ScheduleKey]
    ) throws(StoreError) -> [Result<DueDelivery?, StoreError>] {
        let snapshot = database.snapshot()
        try snapshot.willRead { () throws(StoreError) in
            try snapshot.willRead {
                var ahead = RowsAhead()
                ahead.add(.deliveries, keys.lazy.map { Delivery.key($0.device, $0.seq) })
                ahead.addStates(of: keys.lazy.map(\.device))
                ahead.addRegistrations(of: keys.lazy.map(\.device))
                return ahead
            }
            var (operations, corrected): ([TransactionID], [[UInt8]]) = ([], [])
            for key in keys {
                guard let row = try snapshot.get(.deliveries, Delivery.key(key.device, key.seq)),
                    let delivery = try? Delivery(device: key.device, seq: key.seq, encoded: row, network: network)
                else { continue }
                if delivery.kind.usesPayload { operations.append(delivery.transactionID) }
                if delivery.kind == .paymentReverted {
                    corrected.append(Delivery.key(key.device, delivery.correctedSeq))
                }
            }
            var ahead = RowsAhead()
            ahead.addOperations(operations)
            ahead.add(.deliveryLog, corrected)
            return ahead
        }
        return keys.map { key in Result { () throws(StoreError) in try dueDelivery(key, in: snapshot) } }
    }

    /// The same where memory holds all of it; nil if the disk has to be asked.
    func dueInMemory(_ key: ScheduleKey) throws(StoreError) -> DueDelivery?? {
        guard let rows = database.rowCache.due(key.device, key.seq) else { return nil }
        guard let due = try due(key, rows) else { return .some(nil) }
        // Not `?:`, whose nil would say that it is gone.
        guard due.delivery.kind != .paymentReverted, due.payload != nil else { return nil }
        return due
    }

    /// What memory says, with the payload if it is at hand, and without what is said of a corrected delivery.
    private func due(_ key: ScheduleKey, _ rows: RowCache.DueRows) throws(StoreError) -> DueDelivery? {
        guard var due = try due(key, state: rows.state, delivery: rows.delivery) else { return nil }
        due.device = rows.target
        if due.delivery.kind.usesPayload, let operation = rows.operation {
            due.payload = try OperationRecord.payload(of: operation)
        }
        return due
    }

    /// What the disk says, without the payload and without what is said of a corrected delivery.
    private func due(_ key: ScheduleKey, onDisk snapshot: any StoreReading) throws(StoreError) -> DueDelivery? {
        guard let state = try snapshot.get(.deviceStates, key.device.bytes),
            let delivery = try snapshot.get(.deliveries, Delivery.key(key.device, key.seq)),
            var due = try due(key, state: state, delivery: delivery)
        else { return nil }
        if let device = try snapshot.deviceRow(key.device) { due.device = try DeviceTarget(encoded: device) }
        return due
    }

    private func due(_ key: ScheduleKey, state: [UInt8], delivery: [UInt8]) throws(StoreError) -> DueDelivery? {
        // A key read before the device was removed and came back names another delivery under the same seq.
        let state = try DeviceState(encoded: state)
        guard state.scheduled?.key(of: key.device) == key else { return nil }
        let delivery = try Delivery(device: key.device, seq: key.seq, encoded: delivery, network: network)
        return DueDelivery(
            delivery: delivery, device: nil, payload: delivery.kind.usesPayload ? nil : OperationPayload(),
            wasTold: true, isAccepted: state.isAccepted)
    }

    /// Deliveries of one device that wait, in order, at most `limit`.
    public func deliveries(of device: DeviceID, limit: Int) async throws(StoreError) -> [Delivery] {
        try await read { () throws(StoreError) -> [Delivery] in
            try database.deliveries(of: device, limit: limit, network: network)
        }
    }

    /// Numbers, strikes and place in the schedule of a device; those of a new one when it is not registered.
    public func deviceState(_ id: DeviceID) async throws(StoreError) -> DeviceState {
        try await read { () throws(StoreError) -> DeviceState in
            try database.deviceState(id)
        }
    }

    /// Writes several settlements in one batch; the results stand in the order of the settlements.
    public func settle(_ settlements: [Settlement], now: UInt64) async throws(StoreError) -> [SettlementResult] {
        let (network, limits) = (network, limits)
        return try await write { (transaction) throws(StoreError) in
            var results = [SettlementResult](repeating: SettlementResult(), count: settlements.count)
            var ended: [DeliveryEnd: Int] = [:]
            try transaction.willRead { () throws(StoreError) in
                let keys = settlements.lazy.map(\.key)
                try transaction.willRead {
                    var ahead = RowsAhead()
                    ahead.add(.deliveries, keys.map { Delivery.key($0.device, $0.seq) })
                    ahead.addStates(of: keys.map(\.device))
                    ahead.addRegistrations(
                        of: settlements.lazy.filter { $0.effect.concernsRegistration }.map(\.key.device))
                    return ahead
                }
                var ahead = try transaction.rowsOfNext(for: keys.map(\.device))
                // Those that were tried before have a row in the log.
                for key in keys.map({ Delivery.key($0.device, $0.seq) }) {
                    guard let row = try transaction.get(.deliveries, key), Delivery.wasTried(row) else { continue }
                    ahead.add(.deliveryLog, CollectionOfOne(key))
                }
                return ahead
            }
            // In the order of the rows, which the transaction then finds in order.
            for index in settlements.indices.sorted(by: { settlements[$0].key.device < settlements[$1].key.device }) {
                let (result, end) = try transaction.settle(
                    settlements[index], limits: limits, network: network, now: now)
                results[index] = result
                if let end { ended[end, default: 0] += 1 }
            }
            if results.contains(where: { $0.scheduled != nil }) { try transaction.note(due: now) }
            for (end, count) in ended { try transaction.countEnded(count, as: end.state, reason: end.reason) }
            return results
        }
    }
}

extension StoreReading {
    /// Whether the carrier took what the delivery corrects; true when it corrects nothing.
    fileprivate func wasTold(_ delivery: Delivery, network: Network) throws(StoreError) -> Bool {
        guard delivery.kind == .paymentReverted else { return true }
        let entry = try logEntry(of: delivery.device, delivery.correctedSeq, network: network)
        return entry?.transactionID == delivery.transactionID && entry?.state == .delivered
    }

    func deliveries(of device: DeviceID, limit: Int, network: Network) throws(StoreError) -> [Delivery] {
        try list(
            .deliveries, from: device.bytes, below: KeyBytes.successor(ofPrefix: device.bytes), limit: limit
        ) { (row) throws(StoreError) in try Delivery(row, network: network) }
    }

    /// The numbers from `seq` on of what waits for a device, in order, at most `limit`.
    func seqs(of device: DeviceID, from seq: UInt64 = 0, limit: Int) throws(StoreError) -> [UInt64] {
        try list(
            .deliveries, from: Delivery.key(device, seq), below: KeyBytes.successor(ofPrefix: device.bytes),
            limit: limit
        ) { (row) throws(StoreError) in
            var key = ByteReader(row.key)
            _ = try key.readDeviceID()
            let seq = try key.readUInt64()
            try key.finish()
            return seq
        }
    }
}

extension Settlement.DeviceEffect {
    /// Whether the registration is looked at.
    fileprivate var concernsRegistration: Bool {
        switch self {
        case .none, .alive: false
        case .aliveAt, .strike, .unaccepted, .gone: true
        }
    }
}

/// How a delivery ended, and why.
private struct DeliveryEnd: Hashable {
    var state: DeliveryLogEntry.State
    var reason: String
}

extension WriteTransaction {
    /// Writes what became of a delivery; `end` is for the caller to count.
    fileprivate func settle(
        _ settlement: Settlement, limits: StoreLimits, network: Network, now: UInt64
    ) throws(StoreError) -> (result: SettlementResult, end: DeliveryEnd?) {
        let key = settlement.key
        var result = SettlementResult()
        var end: DeliveryEnd?
        guard let stored = try get(.deliveries, Delivery.key(key.device, key.seq)) else { return (result, nil) }
        var delivery = try Delivery(device: key.device, seq: key.seq, encoded: stored, network: network)
        guard delivery.transactionID == settlement.transactionID else { return (result, nil) }
        // Its delivery is there, so it is as it was written.
        let before = try storedDeviceState(key.device)
        var state = before
        // Only a device's first delivery is ever sent. It may have another place by now than the one it was sent from.
        guard let scheduled = state.scheduled, scheduled.seq == key.seq else { return (result, nil) }
        result.found = true
        let isOver = state.take(settlement.effect, now: now)
        delete(.schedule, scheduled.key(of: key.device).bytes)
        let reason = try log(
            settlement, of: delivery, last: state.lastSeq, now: now, limits: limits, network: network)
        switch settlement.next {
        case .done:
            delete(.deliveries, delivery.key)
            end = DeliveryEnd(state: settlement.ending, reason: reason)
            result.scheduled = try scheduleNext(after: scheduled, of: key.device, now: now, in: &state)
        case .retry(let due, let omitsPayload):
            delivery.attempts = delivery.attempts &+ 1
            delivery.omitsPayload = delivery.omitsPayload || omitsPayload
            put(.deliveries, delivery.key, delivery.encoded)
            result.attempts = delivery.attempts
            let place = DeviceState.Scheduled(
                seq: key.seq, due: due, lane: state.lane(.bulk), carrier: scheduled.carrier)
            put(.schedule, place.key(of: key.device).bytes, [])
            state.scheduled = place
            result.scheduled = place.key(of: key.device)
        }
        if !before.isKept(after: state) { put(.deviceStates, key.device.bytes, state.encoded) }
        result.removedWith = try apply(settlement.effect, isOver: isOver, to: key.device, network: network)
        if result.removedWith != nil { result.scheduled = nil }
        return (result, end)
    }

    /// Puts the delivery that follows the scheduled one of a device into its place; nil when none waits.
    private func scheduleNext(
        after scheduled: DeviceState.Scheduled, of device: DeviceID, now: UInt64, in state: inout DeviceState
    ) throws(StoreError) -> ScheduleKey? {
        guard let next = try next(for: device, after: scheduled.seq, state) else {
            state.end()
            return nil
        }
        // In the lane of the one before: a burst to one device does not overtake ordinary messages.
        let rest = max(state.waiting, 2) - 2
        return schedule(
            next, of: device, due: now, by: scheduled.carrier, lane: state.lane(scheduled.lane), rest: rest, in: &state)
    }

    /// Does what an answer means for the registration; returns how many waiting deliveries went with the device, if it
    /// was removed.
    private func apply(
        _ effect: Settlement.DeviceEffect, isOver: Bool, to id: DeviceID, network: Network
    ) throws(StoreError) -> Int? {
        switch effect {
        case .none, .alive: return nil
        case .aliveAt(let environment):
            try noteEnvironment(environment, of: id, network: network)
            return nil
        case .strike: return isOver ? try drop(id, .invalidToken, network: network) : nil
        case .unaccepted: return isOver ? try drop(id, .neverAccepted, network: network) : nil
        case .gone(let time):
            guard let device = try device(id, network: network), device.lastSeen <= time else { return nil }
            return try drop(id, .gone, network: network)
        }
    }
}
