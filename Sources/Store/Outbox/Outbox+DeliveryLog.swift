import Kaspa

/// A stretch of what a device was told.
public struct DeliveryLogPage: Equatable, Sendable {
    /// In the order of their numbers, at most as many as were asked for.
    public var entries: [DeliveryLogEntry] = []
    /// The last `seq` that the device's deliveries were numbered with; 0 before the first.
    public var latestSeq: UInt64 = 0
    /// The first `seq` that is kept of what was queued since the time asked about; nil when none is.
    public var oldestSeq: UInt64?
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
            page.latestSeq = try snapshot.deviceState(device).lastSeq
            // At most `StoreLimits.logPerDevice` rows.
            try snapshot.scan(.deliveryLog, prefix: device.bytes) { (row) throws(StoreError) in
                let entry = try DeliveryLogEntry(row, network: network)
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
    /// An engine that keeps days apart forgets whole days, at once, and those that end after `time` later. What such an
    /// engine cannot forget so, and any other, goes row by row, the oldest first, at most `limit` a call. Returns how many
    /// rows went so.
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
    /// Returns how many rows went.
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
                ahead.add(.deliveryLog, places.lazy.map { Delivery.key($0.device, $0.seq) })
                return ahead
            }
            var entries: [DeliveryLogEntry] = []
            for place in places {
                guard let entry = try transaction.logEntry(of: place.device, place.seq, network: network) else {
                    continue
                }
                entries.append(entry)
            }
            try transaction.forgetLogEntries(entries)
            return places.count
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
    func logEntry(of device: DeviceID, _ seq: UInt64, network: Network) throws(StoreError) -> DeliveryLogEntry? {
        guard let stored = try get(.deliveryLog, Delivery.key(device, seq)) else { return nil }
        return try DeliveryLogEntry(device: device, seq: seq, encoded: stored, network: network)
    }
}

extension WriteTransaction {
    /// Writes a new row down, and forgets the one that is now too many.
    func log(_ entry: DeliveryLogEntry, limits: StoreLimits, network: Network) throws(StoreError) {
        put(.deliveryLog, entry.key, entry.encoded)
        put(.deliveryLogByTime, entry.timeKey, [])
        guard entry.seq > limits.logPerDevice else { return }
        let last = try logEntry(of: entry.device, entry.seq - limits.logPerDevice, network: network)
        if let last { try forgetLogEntries([last]) }
    }

    /// Writes down what a settlement made of a delivery; one that the log has forgotten leaves no trace.
    ///
    /// Returns the reason that stands now.
    func log(
        _ settlement: Settlement, of delivery: Delivery, now: UInt64, limits: StoreLimits, network: Network
    ) throws(StoreError) -> String {
        guard var entry = try logEntry(of: delivery.device, delivery.seq, network: network) else {
            return settlement.reason
        }
        if settlement.next == .done { entry.state = settlement.ending }
        if settlement.wasSent { entry.attempts = entry.attempts < .max ? entry.attempts + 1 : .max }
        // An expiry keeps the last answer: that is why it came so far.
        if !settlement.reason.isEmpty { entry.reason = settlement.reason }
        entry.changedAt = now
        put(.deliveryLog, entry.key, entry.encoded)
        if entry.state.isDeadLetter { try keepDeadLetter(delivery, entry, limits: limits, network: network) }
        return entry.reason
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

    /// Deletes all that a device was told.
    func forgetLog(of device: DeviceID, network: Network) throws(StoreError) {
        var entries: [DeliveryLogEntry] = []
        try scan(.deliveryLog, prefix: device.bytes) { (row) throws(StoreError) in
            entries.append(try DeliveryLogEntry(row, network: network))
            return true
        }
        try forgetLogEntries(entries)
    }
}
