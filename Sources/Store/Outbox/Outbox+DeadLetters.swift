import Kaspa

/// A delivery that was given up: who was not told of what, and why.
public struct DeadLetter: Equatable, Sendable {
    /// What the log says: the state is `dead` or `expired`, the reason Apple's last.
    public var entry: DeliveryLogEntry
    /// What a later attempt would need.
    public var delivery: Delivery
}

extension Outbox {
    /// Dead letters, the oldest first, at most `limit`.
    ///
    /// A letter lives as long as its log row: 7 days after it was queued, while it is among the device's newest, and
    /// while the device is registered.
    public func deadLetters(limit: Int) async throws(StoreError) -> [DeadLetter] {
        try await read { () throws(StoreError) -> [DeadLetter] in
            let snapshot = database.snapshot()
            return try snapshot.list(.deadLetters, from: [], below: KeyBytes.successor(ofPrefix: []), limit: limit) {
                (row) throws(StoreError) in try snapshot.deadLetter(row, network: network)
            }
        }
    }

    /// Puts dead letters back into the outbox, the oldest first, at most `limit`; returns how many, and how many were
    /// passed over because they are not true any more.
    ///
    /// Each keeps its number and its name at Apple, is due at `now` and expires at `expiresAt`. A letter stays where it
    /// is if it tells of a transaction that has left the chain, if it corrects a payment that is back, or if its
    /// device's queue is full.
    public func retryDeadLetters(
        limit: Int, now: UInt64, expiresAt: UInt64
    ) async throws(StoreError) -> (retried: Int, untrue: Int) {
        let (network, limits) = (network, limits)
        return try await write { (transaction) throws(StoreError) in
            var letters: [DeadLetter] = []
            var room: [DeviceID: UInt32] = [:]
            var untrue = 0
            let end = KeyBytes.successor(ofPrefix: [])
            try transaction.scan(.deadLetters, from: [], below: end) { (row) throws(StoreError) in
                guard letters.count < limit else { return false }
                let letter = try transaction.deadLetter(row, network: network)
                let device = letter.delivery.device
                if room[device] == nil {
                    let state = try transaction.deviceState(device)
                    room[device] = max(state.capacity(limits), state.waiting) - state.waiting
                }
                guard let left = room[device], left > 0 else { return true }
                if try transaction.isTrue(letter.entry, network: network) {
                    letters.append(letter)
                    room[device] = left - 1
                } else {
                    untrue += 1
                }
                return true
            }
            for letter in letters { try transaction.retry(letter, now: now, expiresAt: expiresAt) }
            return (letters.count, untrue)
        }
    }
}

extension StoreReading {
    /// The dead letter of a row in `dead_letters`, with its log row.
    func deadLetter(_ row: Row, network: Network) throws(StoreError) -> DeadLetter {
        let (device, seq) = try DeliveryLogEntry.place(ofTimeKey: row.key)
        guard let entry = try logEntry(of: device, seq, network: network) else {
            throw ByteReader.corrupt("dead letter without a log row")
        }
        let delivery = try Delivery(device: device, seq: seq, encoded: Array(row.value), network: network)
        return DeadLetter(entry: entry, delivery: delivery)
    }

    /// Whether a notification says what the chain says.
    ///
    /// A transaction that is not known any more, or whose row is damaged, counts as accepted.
    fileprivate func isTrue(_ entry: DeliveryLogEntry, network: Network) throws(StoreError) -> Bool {
        let isAccepted: Bool
        do throws(StoreError) {
            let operation = try operation(entry.transactionID, network: network)
            let transfer = try transfer(entry.transactionID, network: network)
            let isKnown = operation != nil || transfer != nil
            isAccepted = !isKnown || operation?.acceptance != nil || transfer?.acceptance != nil
        } catch {
            guard error.code == .corrupt else { throw error }
            isAccepted = true
        }
        return isAccepted == (entry.kind != .paymentReverted)
    }
}

extension WriteTransaction {
    /// Keeps a delivery that was given up; the oldest letter goes when there are too many.
    func keepDeadLetter(
        _ delivery: Delivery, _ entry: DeliveryLogEntry, limits: StoreLimits, network: Network
    ) throws(StoreError) {
        put(.deadLetters, entry.timeKey, delivery.encoded)
        try adjust(.deadLetters, by: 1)
        guard try value(of: .deadLetters) > limits.deadLetters else { return }
        guard let oldest = try first(.deadLetters, { row in Array(row.key) }) else { return }
        try forgetDeadLetter(oldest)
        note(nothingBelow: oldest + [0], in: .deadLetters)
    }

    /// Deletes a dead letter, if it is there: a full table may have lost it before.
    func forgetDeadLetter(_ key: [UInt8]) throws(StoreError) {
        guard try get(.deadLetters, key) != nil else { return }
        delete(.deadLetters, key)
        try adjust(.deadLetters, by: -1)
    }

    fileprivate func retry(_ letter: DeadLetter, now: UInt64, expiresAt: UInt64) throws(StoreError) {
        var (entry, delivery) = (letter.entry, letter.delivery)
        try forgetDeadLetter(entry.timeKey)
        try adjust(entry.state == .dead ? .deliveriesDead : .deliveriesExpired, by: -1)
        if entry.state == .dead { try adjust(.deliveriesDead, reason: entry.reason, by: -1) }
        try adjust(.deliveries, by: 1)
        entry.state = .queued
        entry.changedAt = now
        put(.deliveryLog, entry.key, entry.encoded)
        // Back-off begins anew. Not at zero: this is no first attempt, whose delay is measured.
        delivery.attempts = 1
        delivery.expiresAt = expiresAt
        // Read before the delivery is back, which the row may still count as the only one.
        var state = try deviceState(delivery.device)
        put(.deliveries, delivery.key, delivery.encoded)
        // One that already waits goes first, whatever its number; this one follows.
        if state.scheduled == nil {
            note(waiting: [delivery.seq], for: delivery.device)
            _ = schedule(
                delivery.seq, of: delivery.device, due: now, by: try carrier(of: delivery.device),
                lane: state.lane(.bulk), in: &state)
        } else {
            note(waiting: nil, for: delivery.device)
            state.waiting += 1
            state.firstKept = min(state.firstKept, delivery.seq)
        }
        put(.deviceStates, delivery.device.bytes, state.encoded)
    }
}
