public import Kaspa

/// A delivery that waits, and when it is its turn.
public struct WaitingDelivery: Equatable, Sendable {
    /// What waits.
    public var delivery: Delivery
    /// Milliseconds since 1970; nil while it stands behind another one of its device.
    public var due: UInt64?
    /// What is known of earlier attempts; nil once the log has forgotten it.
    public var entry: DeliveryLogEntry?
}

/// When a transaction was queued for push, and as which event.
public struct EnqueuedMarker: Equatable, Sendable {
    /// Milliseconds since 1970.
    public var time: UInt64
    /// The event's number; 0: for nobody.
    public var event: UInt64
}

/// Questions that people ask; the service itself does not.
extension Outbox {
    /// Deliveries that wait, by device and number, at most `limit`.
    public func waitingDeliveries(limit: Int) async throws(StoreError) -> [WaitingDelivery] {
        try await read { () throws(StoreError) -> [WaitingDelivery] in
            let snapshot = database.snapshot()
            return try snapshot.list(.deliveries, from: [], below: KeyBytes.successor(ofPrefix: []), limit: limit) {
                (row) throws(StoreError) in
                let delivery = try Delivery(row, network: network)
                let state = try snapshot.deviceState(delivery.device)
                let place = state.scheduled
                let entry = try snapshot.logEntry(of: delivery.device, delivery.seq, network: network)
                let isForgotten = limits.logForgets(delivery.seq, after: state.lastSeq)
                return WaitingDelivery(
                    delivery: delivery, due: place?.seq == delivery.seq ? place?.due : nil,
                    entry: entry ?? (isForgotten ? nil : DeliveryLogEntry(delivery)))
            }
        }
    }

    /// When a transaction was queued; nil when it never was, or longer ago than `push.max_age`.
    public func enqueuedMarker(_ id: TransactionID) async throws(StoreError) -> EnqueuedMarker? {
        try await read { () throws(StoreError) -> EnqueuedMarker? in try database.enqueuedMarker(id) }
    }

    /// The log rows of a transaction's deliveries to a device, in order.
    ///
    /// At most `StoreLimits.logPerDevice` rows are read. A payment that was corrected has two.
    public func logEntries(of device: DeviceID, _ id: TransactionID) async throws(StoreError) -> [DeliveryLogEntry] {
        try await read { () throws(StoreError) -> [DeliveryLogEntry] in
            var found: [DeliveryLogEntry] = []
            try database.snapshot().log(of: device, limits: limits, network: network) { entry in
                if entry.transactionID == id { found.append(entry) }
                return true
            }
            return found
        }
    }

    /// The log rows of a transaction that was queued at `time`, at most `limit`.
    public func logEntries(
        of id: TransactionID, queuedAt time: UInt64, limit: Int
    ) async throws(StoreError) -> [DeliveryLogEntry] {
        try await read { () throws(StoreError) -> [DeliveryLogEntry] in
            let snapshot = database.snapshot()
            var entries: [DeliveryLogEntry] = []
            var prefix = ByteWriter()
            prefix.write(time)
            // Other events of the same millisecond stand there too.
            try snapshot.scan(.deliveryLogByTime, prefix: prefix.bytes) { (row) throws(StoreError) in
                let (device, seq) = try DeliveryLogEntry.place(ofTimeKey: row.key)
                if let entry = try snapshot.currentEntry(of: device, seq, network: network), entry.transactionID == id {
                    entries.append(entry)
                }
                return entries.count < limit
            }
            return entries
        }
    }
}
