public import Kaspa

/// A transaction that a step took out of the chain; counted and corrected unless the same step accepts it again.
struct RevertedPush {
    var id: TransactionID
    var kind: PushKind
    /// The acceptance that it lost.
    var acceptance: OperationRecord.Acceptance
}

extension Outbox {
    /// How long a payment has to stay out before who was told is told otherwise, milliseconds.
    public static let retractionDelay: UInt64 = 600_000

    /// What a reorganisation took out after it was queued for push; nil while it is accepted.
    public func reverted(_ id: TransactionID) async throws(StoreError) -> RevertedRecord? {
        try await read { () throws(StoreError) -> RevertedRecord? in
            try database.reverted(id)
        }
    }

    /// Makes events of the payments that have stayed out long enough at `now`, at most `limit` a call; returns how many
    /// there were to look at, and how many became events.
    ///
    /// `knownUntil` is until when the chain is known, by the same clock: in what is not read yet, as after a downtime, a
    /// payment may have come back in time. A payment is corrected once, whatever becomes of it later.
    public func retractDue(
        now: UInt64, knownUntil: UInt64, limit: Int
    ) async throws(StoreError) -> (seen: Int, enqueued: Int) {
        let network = network
        let due = min(now, knownUntil)
        // Mostly there is nothing, and then nothing is asked of the writer.
        let isAnyDue = try await read { () throws(StoreError) in
            try !database.dueRetractions(at: due, limit: 1).isEmpty
        }
        guard isAnyDue else { return (0, 0) }
        return try await write { (transaction) throws(StoreError) in
            let keys = try transaction.dueRetractions(at: due, limit: limit)
            try transaction.willRead {
                var ahead = RowsAhead()
                let ids = keys.lazy.map { Array($0.dropFirst(8)) }
                for family in [ColumnFamily.reverted, .enqueued, .operations] { ahead.add(family, ids) }
                return ahead
            }
            var enqueued = 0
            for key in keys where try transaction.retract(key, now: now, network: network) { enqueued += 1 }
            return (keys.count, enqueued)
        }
    }

    /// Looks at the next `limit` deliveries that were queued when the retracted payment was, a few more where a device
    /// has several, and queues a correction to each device that was told of it.
    ///
    /// `decide` is asked by what came of the payment's own delivery. One that still waits has ended by the time of the
    /// correction's turn, and `DueDelivery.wasTold` says how.
    public func fanOutRetraction(
        event number: UInt64, limit: Int, ordinaryWatchers: UInt64, now: UInt64, expiresAt: UInt64,
        decide: @escaping @Sendable (DeliveryLogEntry.State) -> WatcherDecision
    ) async throws(StoreError) -> FanOutStep {
        let (network, limits) = (network, limits)
        return try await write { (transaction) throws(StoreError) in
            var step = FanOutStep()
            guard let stored = try transaction.get(.events, PushEvent.key(number)) else {
                step.finished = true
                return step
            }
            var event = try PushEvent(number: number, encoded: stored, network: network)
            let wasLong = event.isLong(limits)
            if wasLong, now >= expiresAt {
                step.isExpired = true
                try transaction.close(event, wasLong: wasLong, &step, limits: limits)
                return step
            }
            if event.progress == FanOutProgress() { transaction.tellOthers(of: event) { _ in true } }
            let told = try transaction.deliveries(queuedAt: event.toldAt ?? 0, after: event.progress.last, limit: limit)
            try transaction.willRead {
                var ahead = RowsAhead()
                for family in [ColumnFamily.deliveries, .deliveryLog] {
                    ahead.add(family, told.lazy.map { Delivery.key($0.device, $0.seq) })
                }
                ahead.addStates(of: told.lazy.map(\.device))
                ahead.addRegistrations(of: told.lazy.map(\.device))
                return ahead
            }
            for place in told {
                event.progress.last = place.device
                let lane: ScheduleKey.Lane = event.progress.walked < ordinaryWatchers ? .ordinary : .bulk
                let queued = QueuedEvent(
                    event: event, lane: lane, now: now, expiresAt: expiresAt, limits: limits, network: network)
                if try transaction.correct(place.seq, of: place.device, queued, &step, decide) {
                    event.progress.walked += 1
                }
            }
            step.walked = told.count
            step.finished = told.count < limit
            try transaction.close(event, wasLong: wasLong, &step, limits: limits)
            if !step.scheduled.isEmpty { try transaction.note(due: now) }
            return step
        }
    }
}

extension StoreReading {
    func reverted(_ id: TransactionID) throws(StoreError) -> RevertedRecord? {
        guard let stored = try get(.reverted, id.bytes) else { return nil }
        return try RevertedRecord(encoded: stored)
    }

    /// Where the corrections stand that wait, of transactions whose rows in `reverted` have been read.
    func retractionRows(of ids: [TransactionID]) throws(StoreError) -> RowsAhead {
        var ahead = RowsAhead()
        for id in ids {
            guard let record = try reverted(id), !record.isRetracted else { continue }
            ahead.add(.retractions, CollectionOfOne(WriteTransaction.retractionKey(record, id)))
        }
        return ahead
    }

    fileprivate func dueRetractions(at time: UInt64, limit: Int) throws(StoreError) -> [[UInt8]] {
        let end = time < .max ? PushEvent.key(time + 1) : KeyBytes.successor(ofPrefix: [])
        return try list(.retractions, from: [], below: end, limit: limit) { Array($0.key) }
    }

    /// Places in the log of what was queued at `time`, from the device after `last` on; at most `limit`, but the last
    /// device's all.
    fileprivate func deliveries(
        queuedAt time: UInt64, after last: DeviceID?, limit: Int
    ) throws(StoreError) -> [(device: DeviceID, seq: UInt64)] {
        let prefix = PushEvent.key(time)
        let lower = last.map { KeyBytes.successor(ofPrefix: prefix + $0.bytes) } ?? prefix
        var places: [(device: DeviceID, seq: UInt64)] = []
        try scan(.deliveryLogByTime, from: lower, below: KeyBytes.successor(ofPrefix: prefix)) {
            (row) throws(StoreError) in
            let place = try DeliveryLogEntry.place(ofTimeKey: row.key)
            guard places.count < limit || places.last?.device == place.device else { return false }
            places.append(place)
            return true
        }
        return places
    }
}

extension WriteTransaction {
    /// Writes down that a queued transaction is out; a payment waits for its correction if `retractsPayments`.
    ///
    /// False when it was not queued, or its event was withdrawn.
    func noteReverted(_ push: RevertedPush, now: UInt64, retractsPayments: Bool) throws(StoreError) -> Bool {
        guard try get(.enqueued, push.id.bytes) != nil else { return false }
        var record = RevertedRecord(revertedAt: now, acceptance: push.acceptance)
        record.isRetracted = try reverted(push.id)?.isRetracted ?? false
        put(.reverted, push.id.bytes, record.encoded)
        if retractsPayments, push.kind == .payment, !record.isRetracted {
            put(.retractions, WriteTransaction.retractionKey(record, push.id), [])
        }
        return true
    }

    /// Forgets that a transaction was out of the chain, as it is accepted again.
    ///
    /// That it was corrected stays known.
    func forgetReverted(_ id: TransactionID) throws(StoreError) {
        guard let record = try reverted(id) else { return }
        delete(.retractions, WriteTransaction.retractionKey(record, id))
        if !record.isRetracted { delete(.reverted, id.bytes) }
    }

    /// Deletes all that is known of a transaction that was out, as its marker goes.
    func dropReverted(_ id: TransactionID) throws(StoreError) {
        guard let record = try reverted(id) else { return }
        delete(.retractions, WriteTransaction.retractionKey(record, id))
        delete(.reverted, id.bytes)
    }

    /// Whether a payment's correction waits for its time.
    func isRetractionWaiting(_ id: TransactionID) throws(StoreError) -> Bool {
        guard let record = try reverted(id), !record.isRetracted else { return false }
        return try get(.retractions, WriteTransaction.retractionKey(record, id)) != nil
    }

    /// Makes an event of a payment whose time has come; false when there is nothing to correct.
    fileprivate func retract(_ key: [UInt8], now: UInt64, network: Network) throws(StoreError) -> Bool {
        delete(.retractions, key)
        guard let id = Hash(bytes: key.dropFirst(8)) else { throw ByteReader.corrupt("retractions") }
        guard var record = try reverted(id), !record.isRetracted, let marker = try get(.enqueued, id.bytes),
            let operation = try operation(id, network: network), operation.acceptance == nil
        else { return false }
        var reader = ByteReader(marker)
        let toldAt = try reader.readUInt64()
        record.isRetracted = true
        put(.reverted, id.bytes, record.encoded)
        try putEvent { number in
            PushEvent(
                number: number, transactionID: id, kind: .paymentReverted, sender: operation.sender,
                receiver: operation.receiver, amount: operation.amount, blockTime: operation.blockTime,
                acceptance: record.acceptance, queuedAt: now, toldAt: toldAt)
        }
        return true
    }

    /// Queues the correction of one delivery, if the device was told by it of the payment; false when the delivery was
    /// about something else.
    fileprivate func correct(
        _ seq: UInt64, of device: DeviceID, _ queued: QueuedEvent, _ step: inout FanOutStep,
        _ decide: (DeliveryLogEntry.State) -> WatcherDecision
    ) throws(StoreError) -> Bool {
        guard let entry = try currentEntry(of: device, seq, network: queued.network),
            entry.transactionID == queued.event.transactionID, entry.kind == .payment
        else { return false }
        if case .suppress(let reason) = decide(entry.state) {
            step.suppressed[reason, default: 0] += 1
            return true
        }
        let state = try deviceState(device)
        guard state.isAccepted || state.waiting < state.capacity(queued.limits) else {
            step.suppressed[.onProbation, default: 0] += 1
            return true
        }
        step.notified += 1
        try enqueueDelivery(queued, to: device, by: carrier(of: device), state, &step) { $0.correctedSeq = seq }
        return true
    }

    fileprivate static func retractionKey(_ record: RevertedRecord, _ id: TransactionID) -> [UInt8] {
        let (due, overflow) = record.revertedAt.addingReportingOverflow(Outbox.retractionDelay)
        return PushEvent.key(overflow ? .max : due) + id.bytes
    }
}
