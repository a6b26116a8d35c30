import Kaspa

/// How much of the schedule is to be taken at once.
public struct DueRequest: Sendable {
    /// One look at a lane.
    public struct Step: Sendable {
        /// The lane that is looked at.
        public var lane: ScheduleKey.Lane
        /// The most that is taken of it in this step.
        public var limit: Int

        /// A look at `lane` for at most `limit`.
        public init(_ lane: ScheduleKey.Lane, limit: Int = .max) {
            self.lane = lane
            self.limit = limit
        }
    }

    /// Whose lanes they are.
    public var carrier: CarrierName
    /// The looks, one after another; a lane may have several.
    public var steps: [Step]
    /// The most that is taken in all.
    public var limit: Int
    /// The most that is taken of each lane; of one that is not named, nothing.
    public var laneLimits: [ScheduleKey.Lane: Int]

    /// Takes all three limits.
    public init(
        carrier: CarrierName = .apns, steps: [Step], limit: Int, laneLimits: [ScheduleKey.Lane: Int]
    ) {
        self.carrier = carrier
        self.steps = steps
        self.limit = limit
        self.laneLimits = laneLimits
    }

    /// What `take` finds, which is asked step by step with the most that it may find.
    package func collect(_ take: (ScheduleKey.Lane, Int) -> [ScheduleKey]) -> [ScheduleKey] {
        var keys: [ScheduleKey] = []
        var left = laneLimits
        for step in steps {
            let found = take(step.lane, min(limit - keys.count, step.limit, left[step.lane, default: 0]))
            left[step.lane, default: 0] -= found.count
            keys += found
        }
        return keys
    }
}

/// What is due, for whoever sends it: it keeps the cursor, and says what it gives back.
extension Outbox {
    /// Reads what `cursor` must know of these carriers.
    ///
    /// Returns the cursor, which has learnt it, and the first error: what that concerns is read again the next time.
    public func read(
        ahead cursor: ScheduleCursor, of carriers: [CarrierName] = CarrierName.allCases, now: UInt64
    ) async -> (cursor: ScheduleCursor, failure: StoreError?) {
        do throws(StoreError) {
            return try await read { () throws(StoreError) in
                var cursor = cursor
                let failure = cursor.read(carriers, from: database.session(), now: now)
                return (cursor, failure)
            }
        } catch {
            return (cursor, error)
        }
    }

    /// Everything needed to send what stands at each of these places; see `dueDelivery(_:)`.
    public func dueDeliveries(_ keys: [ScheduleKey]) async throws(StoreError) -> [Result<DueDelivery?, StoreError>] {
        // Mostly memory holds all rows, and no other thread has to be asked.
        let known = keys.map { (key) -> Result<DueDelivery?, StoreError>? in
            do throws(StoreError) {
                return try dueInMemory(key).map { .success($0) }
            } catch {
                return .failure(error)
            }
        }
        let all = known.compactMap(\.self)
        guard all.count < keys.count else { return all }
        let missing = zip(keys, known).filter { $0.1 == nil }.map(\.0)
        var found = try await read { () throws(StoreError) in try dueDeliveries(onDisk: missing) }[...]
        // As many as are missing.
        return known.map { $0 ?? found.popFirst() ?? .success(nil) }
    }

    /// When the first of the deliveries that were not taken was queued, for each carrier that any waits for.
    public func oldestQueuedAt(_ cursor: ScheduleCursor) async throws(StoreError) -> [CarrierName: UInt64] {
        try await read { () throws(StoreError) in
            var oldest: [CarrierName: UInt64] = [:]
            for carrier in CarrierName.allCases {
                oldest[carrier] = try cursor.oldestQueuedAt(of: carrier, in: self)
            }
            return oldest
        }
    }
}

extension ScheduleKey {
    /// Entries of a carrier's lane in a partition, from `start` on, or from the first.
    static func rows(
        partition: UInt8, carrier: CarrierName, lane: Lane, from start: ScheduleKey?, limit: Int
    ) -> RowsAhead.Range {
        let prefix = ScheduleKey.start(partition: partition, carrier: carrier, lane: lane)
        return RowsAhead.Range(
            family: .schedule, lower: start?.bytes ?? prefix, upper: KeyBytes.successor(ofPrefix: prefix), limit: limit)
    }

    /// Those that are due later than `time`; nil: there can be none.
    static func rows(
        partition: UInt8, carrier: CarrierName, lane: Lane, dueAfter time: UInt64, from start: ScheduleKey?, limit: Int
    ) -> RowsAhead.Range? {
        guard time < .max else { return nil }
        var rows = rows(partition: partition, carrier: carrier, lane: lane, from: start, limit: limit)
        var lower = ByteWriter(capacity: ScheduleKey.byteCount)
        lower.write(fixed: ScheduleKey.start(partition: partition, carrier: carrier, lane: lane))
        lower.write(time + 1)
        if KeyBytes.precedes(rows.lower, lower.bytes) { rows.lower = lower.bytes }
        return rows
    }
}

extension StoreReading {
    /// What stands in these rows of the schedule.
    func entries(_ rows: RowsAhead.Range) throws(StoreError) -> [ScheduleKey] {
        try list(rows.family, from: rows.lower, below: rows.upper, limit: rows.limit) {
            (row) throws(StoreError) in try ScheduleKey(row.key)
        }
    }
}

extension Outbox {
    /// Entries of a carrier's lane in a partition, in order, from `start` on, or from the first.
    package func entries(
        partition: UInt8, carrier: CarrierName = .apns, lane: ScheduleKey.Lane, from start: ScheduleKey? = nil,
        limit: Int
    ) throws(StoreError) -> [ScheduleKey] {
        try database.entries(
            ScheduleKey.rows(partition: partition, carrier: carrier, lane: lane, from: start, limit: limit))
    }
}
