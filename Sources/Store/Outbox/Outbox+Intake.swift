import Kaspa

/// What the history tells the outbox, in the history's own batch: a transaction became an event, or its event is taken
/// back. Corrections of what was told already are in `Outbox+Retractions.swift`.
extension WriteTransaction {
    /// Puts an event of an operation into the queue; `isCounted` says that it was counted as created before.
    func enqueue(
        _ operation: OperationRecord, _ acceptance: OperationRecord.Acceptance, now: UInt64, isCounted: Bool
    ) throws(StoreError) {
        try enqueue(now: now, isCounted: isCounted) { number in
            PushEvent(
                number: number, transactionID: operation.transactionID, kind: PushKind(operation.kind),
                sender: operation.sender, receiver: operation.receiver, amount: operation.amount,
                blockTime: operation.blockTime, acceptance: acceptance, queuedAt: now,
                subject: PushSubject(operation))
        }
    }

    /// Makes an event of a transaction, and remembers that it was made.
    func enqueue(
        now: UInt64, isCounted: Bool = false, _ make: (_ number: UInt64) -> PushEvent
    ) throws(StoreError) {
        let event = try putEvent(isCounted: isCounted, make)
        mark(event.transactionID, event: event.number, now: now)
    }

    /// Stores an event under the next number.
    @discardableResult
    func putEvent(
        isCounted: Bool = false, _ make: (_ number: UInt64) -> PushEvent
    ) throws(StoreError) -> PushEvent {
        let last = try lastEventNumber()
        guard last < .max else { throw ByteReader.corrupt("last event") }
        let number = last + 1
        let event = make(number)
        put(.meta, MetaKey.lastEvent, PushEvent.key(number))
        put(.events, PushEvent.key(number), event.encoded)
        try adjust(.events, by: 1)
        if !isCounted { try adjust(.eventsCreated, by: 1) }
        return event
    }

    /// Remembers that a transaction was queued as an event; 0 says that it was decided to tell nobody.
    func mark(_ id: TransactionID, event number: UInt64, now: UInt64) {
        var marker = ByteWriter(capacity: 16)
        marker.write(now)
        marker.write(number)
        put(.enqueued, id.bytes, marker.bytes)
        put(.enqueuedByTime, WriteTransaction.markerTimeKey(now, id), [])
    }

    private static func markerTimeKey(_ time: UInt64, _ id: TransactionID) -> [UInt8] {
        var writer = ByteWriter(capacity: 8 + Hash.byteCount)
        writer.write(time)
        writer.write(id)
        return writer.bytes
    }

    /// Deletes a transaction's event, and its marker, so that a later acceptance is a new event; false when it has none, or
    /// deliveries were made of it.
    func withdrawEvent(of id: TransactionID, network: Network) throws(StoreError) -> Bool {
        guard let marker = try enqueuedMarker(id), let stored = try get(.events, PushEvent.key(marker.event)) else {
            return false
        }
        let event = try PushEvent(number: marker.event, encoded: stored, network: network)
        guard event.progress == FanOutProgress() else { return false }
        delete(.events, PushEvent.key(event.number))
        delete(.enqueued, id.bytes)
        delete(.enqueuedByTime, WriteTransaction.markerTimeKey(marker.time, id))
        // Nobody was told, so there is nothing to correct, nor was there before.
        try dropReverted(id)
        try adjust(.events, by: -1)
        try adjust(.eventsWithdrawn, by: 1)
        return true
    }
}

extension Outbox {
    /// The time of the oldest block of which an event or delivery waits that needs its operation; the end of time when
    /// none does.
    func oldestWaiting(now: UInt64) async throws(StoreError) -> UInt64 {
        try await read { () throws(StoreError) -> UInt64 in
            try database.snapshot().oldestWaiting(now: now, network: network)
        }
    }
}

extension StoreReading {
    /// Whether a transaction became an event, or was decided to be none.
    func isEnqueued(_ id: TransactionID) throws(StoreError) -> Bool { try get(.enqueued, id.bytes) != nil }

    /// When a transaction became an event, and which.
    func enqueuedMarker(_ id: TransactionID) throws(StoreError) -> EnqueuedMarker? {
        guard let stored = try get(.enqueued, id.bytes) else { return nil }
        var reader = ByteReader(stored)
        let marker = EnqueuedMarker(time: try reader.readUInt64(), event: try reader.readUInt64())
        try reader.finish()
        return marker
    }

    /// The time of the oldest block of which an event or delivery waits that needs its operation; the end of time when
    /// none does.
    ///
    /// A delivery whose time is over needs nothing any more.
    func oldestWaiting(now: UInt64, network: Network) throws(StoreError) -> UInt64 {
        var oldest = UInt64.max
        try scan(.events, prefix: []) { (row) throws(StoreError) in
            oldest = min(oldest, try PushEvent(row, network: network).blockTime)
            return true
        }
        try scan(.deliveries, prefix: []) { (row) throws(StoreError) in
            let delivery = try Delivery(row, network: network)
            if delivery.kind.usesPayload, now < delivery.expiresAt { oldest = min(oldest, delivery.blockTime) }
            return true
        }
        return oldest
    }
}
