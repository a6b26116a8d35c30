import Kaspa

/// A stretch of what a device was told.
public struct DeliveryLogPage: Equatable, Sendable {
    /// In the order of their numbers, at most as many as were asked for.
    public var entries: [DeliveryLogEntry] = []
    /// The last `seq` that the device's deliveries were numbered with; 0 before the first.
    public var latestSeq: UInt64 = 0
    /// The first `seq` that is kept of what was queued since the time asked about; nil when none is.
    public var oldestSeq: UInt64?

    /// Of a device that was told nothing yet.
    package init() {}
}

extension Outbox {
    /// What a device was told after `seq`, in order, at most `limit`, and nothing queued before `time`.
    ///
    /// Nil when the device is not registered.
    public func deliveryLog(
        of device: DeviceID, after seq: UInt64, queuedSince time: UInt64, limit: Int
    ) async throws(StoreError) -> DeliveryLogPage? {
        try await readPage { () throws(StoreError) -> DeliveryLogPage? in
            let snapshot = database.snapshot()
            guard try snapshot.deviceRow(device) != nil else { return nil }
            var page = DeliveryLogPage()
            page.latestSeq = try snapshot.storedDeviceState(device).lastSeq
            try snapshot.log(of: device, limits: limits, network: network) { entry in
                guard entry.queuedAt >= time else { return true }
                if page.oldestSeq == nil { page.oldestSeq = entry.seq }
                if entry.seq > seq, page.entries.count < limit { page.entries.append(entry) }
                return page.entries.count < limit
            }
            return page
        }
    }

    /// Forgets what may go of what was queued before `time`: log rows and dead letters.
    ///
    /// An engine that keeps days apart forgets a whole day at once, as soon as all of it is older than `time`. A day that
    /// cannot go so, and everything in other engines, goes row by row, the oldest first, at most `limit` a call. Returns
    /// how many rows went one by one, dead letters among them.
    public func forgetOldLog(before time: UInt64, limit: Int) async throws(StoreError) -> Int {
        guard engine.backend.keepsLogByDay else { return try await pruneDeliveryLog(before: time, limit: limit) }
        let day = time - time % LogDay.length
        let letters = try await pruneDeadLetters(before: day, limit: limit)
        guard letters < limit else { return letters }
        try await engine.backend.forgetLogDays(before: day)
        return try await pruneDeliveryLog(before: day, limit: limit)
    }

    /// Forgets, oldest first, what was queued before `time`: log rows and dead letters, at most `limit` a call.
    ///
    /// A delivery that still waits is not forgotten. Returns how many rows went.
    @discardableResult
    public func pruneDeliveryLog(before time: UInt64, limit: Int) async throws(StoreError) -> Int {
        let network = network
        var upper = ByteWriter()
        upper.write(time)
        let bound = upper.bytes
        return try await write { (transaction) throws(StoreError) in
            let places = try transaction.list(
                .deliveryLogByTime, from: [], below: bound, limit: limit
            ) { (row) throws(StoreError) in try DeliveryLogEntry.place(ofTimeKey: row.key) }
            try transaction.willRead {
                var ahead = RowsAhead()
                for family in [ColumnFamily.deliveries, .deliveryLog] {
                    ahead.add(family, places.lazy.map { Delivery.key($0.device, $0.seq) })
                }
                return ahead
            }
            var entries: [DeliveryLogEntry] = []
            for place in places
            where try transaction.get(.deliveries, Delivery.key(place.device, place.seq)) == nil {
                guard let entry = try transaction.logEntry(of: place.device, place.seq, network: network) else {
                    continue
                }
                entries.append(entry)
            }
            try transaction.forgetLogEntries(entries)
            return entries.count
        }
    }

    /// Forgets dead letters whose log rows go next, at most `limit`; returns how many.
    private func pruneDeadLetters(before time: UInt64, limit: Int) async throws(StoreError) -> Int {
        var upper = ByteWriter()
        upper.write(time)
        let bound = upper.bytes
        return try await write { (transaction) throws(StoreError) in
            let keys = try transaction.list(.deadLetters, from: [], below: bound, limit: limit) { Array($0.key) }
            for key in keys { try transaction.forgetDeadLetter(key) }
            return keys.count
        }
    }
}

extension StoreReading {
    /// The log's row of a delivery: there once it has ended, or was tried in vain.
    func logEntry(of device: DeviceID, _ seq: UInt64, network: Network) throws(StoreError) -> DeliveryLogEntry? {
        guard let stored = try get(.deliveryLog, Delivery.key(device, seq)) else { return nil }
        return try DeliveryLogEntry(device: device, seq: seq, encoded: stored, network: network)
    }

    /// What the log says of a delivery that it has not forgotten: its row, or that it waits.
    func currentEntry(of device: DeviceID, _ seq: UInt64, network: Network) throws(StoreError) -> DeliveryLogEntry? {
        if let entry = try logEntry(of: device, seq, network: network) { return entry }
        guard let stored = try get(.deliveries, Delivery.key(device, seq)) else { return nil }
        return DeliveryLogEntry(try Delivery(device: device, seq: seq, encoded: stored, network: network))
    }

    /// Lends what a device was told, or is to be, in the order of the numbers, until `body` returns false.
    ///
    /// It reads the deliveries that wait, and at most `StoreLimits.logPerDevice` rows.
    func log(
        of device: DeviceID, limits: StoreLimits, network: Network,
        _ body: (DeliveryLogEntry) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let last = try storedDeviceState(device).lastSeq
        var waiting = try deliveries(of: device, limit: .max, network: network)
            .filter { !limits.logForgets($0.seq, after: last) }[...]
        var goesOn = true
        try scan(.deliveryLog, prefix: device.bytes) { (row) throws(StoreError) in
            let entry = try DeliveryLogEntry(row, network: network)
            while goesOn, let next = waiting.first, next.seq <= entry.seq {
                waiting.removeFirst()
                if next.seq < entry.seq { goesOn = try body(DeliveryLogEntry(next)) }
            }
            if goesOn { goesOn = try body(entry) }
            return goesOn
        }
        while goesOn, let next = waiting.popFirst() { goesOn = try body(DeliveryLogEntry(next)) }
    }
}

extension StoreLimits {
    /// Whether the log has forgotten a number of a device's, as so many came after it.
    func logForgets(_ seq: UInt64, after last: UInt64) -> Bool { last >= seq && last - seq >= logPerDevice }
}

extension WriteTransaction {
    /// Notes when a delivery was queued, and forgets the one that is now too many; until it ends it needs no row.
    func log(_ delivery: Delivery, limits: StoreLimits, network: Network) throws(StoreError) {
        put(.deliveryLogByTime, DeliveryLogEntry(delivery).timeKey, [])
        try forgetOld(after: delivery.seq, of: delivery.device, limits: limits, network: network)
    }

    /// Writes a row down that is whole from the beginning, and forgets the one that is now too many.
    func log(_ entry: DeliveryLogEntry, limits: StoreLimits, network: Network) throws(StoreError) {
        put(.deliveryLog, entry.key, entry.encoded)
        put(.deliveryLogByTime, entry.timeKey, [])
        try forgetOld(after: entry.seq, of: entry.device, limits: limits, network: network)
    }

    private func forgetOld(
        after seq: UInt64, of device: DeviceID, limits: StoreLimits, network: Network
    ) throws(StoreError) {
        guard seq > limits.logPerDevice else { return }
        let old = try currentEntry(of: device, seq - limits.logPerDevice, network: network)
        if let old { try forgetLogEntries([old]) }
    }

    /// Writes down what a settlement made of a delivery; one that the log has forgotten leaves no trace.
    ///
    /// `last` is the device's last number. Returns the reason that stands now.
    func log(
        _ settlement: Settlement, of delivery: Delivery, last: UInt64, now: UInt64, limits: StoreLimits,
        network: Network
    ) throws(StoreError) -> String {
        guard !limits.logForgets(delivery.seq, after: last) else { return settlement.reason }
        var entry = try entry(of: delivery, network: network)
        if settlement.next == .done { entry.state = settlement.ending }
        if settlement.wasSent { entry.attempts = entry.attempts < .max ? entry.attempts + 1 : .max }
        // An expiry keeps the last answer: that is why it came so far.
        if !settlement.reason.isEmpty { entry.reason = settlement.reason }
        entry.changedAt = now
        put(entry)
        if entry.state.isDeadLetter { try keepDeadLetter(delivery, entry, limits: limits, network: network) }
        return entry.reason
    }

    /// Writes down that a delivery which waits is not to be sent, unless the log has forgotten it.
    func logSuppression(
        of delivery: Delivery, _ reason: SuppressionReason, last: UInt64, now: UInt64, limits: StoreLimits,
        network: Network
    ) throws(StoreError) {
        guard !limits.logForgets(delivery.seq, after: last) else { return }
        var entry = try entry(of: delivery, network: network)
        entry.suppress(reason, at: now)
        put(entry)
    }

    /// What the log says of a delivery that waits: one that was tried has a row.
    private func entry(of delivery: Delivery, network: Network) throws(StoreError) -> DeliveryLogEntry {
        let tried = delivery.attempts > 0 ? try logEntry(of: delivery.device, delivery.seq, network: network) : nil
        return tried ?? DeliveryLogEntry(delivery)
    }

    /// Writes a row whose delivery has changed.
    private func put(_ entry: DeliveryLogEntry) {
        put(.deliveryLog, entry.key, entry.encoded)
        // Its day may have been forgotten while it waited.
        let isYoung = entry.changedAt >= entry.queuedAt && entry.changedAt - entry.queuedAt < LogDay.length
        if !isYoung { put(.deliveryLogByTime, entry.timeKey, []) }
    }

    /// Deletes log rows and what points at them.
    fileprivate func forgetLogEntries(_ entries: [DeliveryLogEntry]) throws(StoreError) {
        let dead = entries.lazy.filter(\.state.isDeadLetter).map(\.timeKey)
        try willRead {
            var ahead = RowsAhead()
            ahead.add(.deadLetters, dead)
            return ahead
        }
        for entry in entries {
            delete(.deliveryLog, entry.key)
            delete(.deliveryLogByTime, entry.timeKey)
        }
        for key in dead { try forgetDeadLetter(key) }
    }

    /// Deletes all that a device was told, and was to be told by the deliveries that wait.
    func forgetLog(of device: DeviceID, network: Network) throws(StoreError) {
        var entries = try deliveries(of: device, limit: .max, network: network).map { DeliveryLogEntry($0) }
        try scan(.deliveryLog, prefix: device.bytes) { (row) throws(StoreError) in
            entries.append(try DeliveryLogEntry(row, network: network))
            return true
        }
        try forgetLogEntries(entries)
    }
}
