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
    package func collect(
        _ take: (ScheduleKey.Lane, Int) throws(StoreError) -> [ScheduleKey]
    ) -> (keys: [ScheduleKey], failure: StoreError?) {
        var keys: [ScheduleKey] = []
        var left = laneLimits
        do throws(StoreError) {
            for step in steps {
                let most = min(limit - keys.count, step.limit, left[step.lane, default: 0])
                let found = try take(step.lane, most)
                left[step.lane, default: 0] -= found.count
                keys += found
            }
        } catch {
            return (keys, error)
        }
        return (keys, nil)
    }
}

/// What was taken of the schedule.
public struct TakenEntries: Sendable {
    /// Places in the schedule that are due.
    public var keys: [ScheduleKey]
    /// How far the schedule has been read by now.
    public var cursor: ScheduleCursor
    /// The error that ended the look early; it concerns none of the keys.
    public var failure: StoreError?
}

/// What is due, for whoever sends it: it keeps the cursor, and says what it gives back.
extension Outbox {
    /// Takes due entries as `request` says; each is found once, unless the cursor is told that it was added.
    public func take(_ request: DueRequest, from cursor: ScheduleCursor, now: UInt64) async -> TakenEntries {
        let look = { @Sendable () -> TakenEntries in
            var cursor = cursor
            let schedule = database.session()
            let (keys, failure) = request.collect { (lane, limit) throws(StoreError) in
                try cursor.take(lane, of: request.carrier, from: schedule, now: now, limit: limit)
            }
            return TakenEntries(keys: keys, cursor: cursor, failure: failure)
        }
        guard cursor.mayFind(of: request.carrier, in: request.steps.map(\.lane), now: now) else { return look() }
        do throws(StoreError) {
            return try await read { () throws(StoreError) in look() }
        } catch {
            return TakenEntries(keys: [], cursor: cursor, failure: error)
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

    /// When the next entry that was not taken is due, of these lanes of each carrier, nil when none waits, and the
    /// cursor, which has learnt it.
    public func nextDue(
        _ cursor: ScheduleCursor, lanes: [CarrierName: [ScheduleKey.Lane]] = Outbox.allLanes, now: UInt64
    ) async throws(StoreError) -> (due: UInt64?, cursor: ScheduleCursor) {
        try await read { () throws(StoreError) in
            var cursor = cursor
            var earliest: UInt64?
            let schedule = database.session()
            for (carrier, lanes) in lanes {
                guard let due = try cursor.nextDue(in: schedule, now: now, of: carrier, lanes: lanes) else { continue }
                earliest = min(earliest ?? due, due)
            }
            return (earliest, cursor)
        }
    }

    /// Every lane of every carrier.
    public static let allLanes = Dictionary(
        uniqueKeysWithValues: CarrierName.allCases.map { ($0, ScheduleKey.Lane.allCases) })

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

/// What of a partition's lane is due.
package struct DueEntries: Sendable {
    /// Places in the order of the schedule, at most as many as were asked for.
    package var keys: [ScheduleKey] = []
    /// When the first entry behind them is due; nil when there is none, or when as many were found as were asked for.
    package var next: UInt64?
}

extension ScheduleKey {
    /// Where entries of a partition's lane stand that are due later than `time`, from `start` on; nil: none can.
    static func stretch(
        partition: UInt8, carrier: CarrierName, lane: Lane, dueAfter time: UInt64, from start: ScheduleKey?
    ) -> (lower: [UInt8], upper: [UInt8])? {
        guard time < .max else { return nil }
        let prefix = ScheduleKey.start(partition: partition, carrier: carrier, lane: lane)
        var lower = ByteWriter(capacity: ScheduleKey.byteCount)
        lower.write(fixed: prefix)
        lower.write(time + 1)
        var first = lower.bytes
        if let start = start?.bytes, first.lexicographicallyPrecedes(start) { first = start }
        return (first, KeyBytes.successor(ofPrefix: prefix))
    }
}

extension StoreReading {
    /// Schedule entries of one partition and lane that are due at `now`, in order, from `start` on, at most `limit`.
    func dueEntries(
        partition: UInt8, carrier: CarrierName, lane: ScheduleKey.Lane, from start: ScheduleKey?, now: UInt64,
        limit: Int
    ) throws(StoreError) -> DueEntries {
        let prefix = ScheduleKey.start(partition: partition, carrier: carrier, lane: lane)
        var next: UInt64?
        let keys = try list(
            .schedule, from: start?.bytes ?? prefix, below: KeyBytes.successor(ofPrefix: prefix), limit: limit
        ) { (row) throws(StoreError) -> ScheduleKey? in
            let key = try ScheduleKey(row.key)
            guard key.due > now else { return key }
            next = key.due
            return nil
        }
        return DueEntries(keys: keys, next: next)
    }

    /// When the first entry of a partition's lane from `start` on is due; nil when there is none.
    func nextDue(
        partition: UInt8, carrier: CarrierName, lane: ScheduleKey.Lane, from start: ScheduleKey?
    ) throws(StoreError) -> UInt64? {
        try dueEntries(partition: partition, carrier: carrier, lane: lane, from: start, now: .max, limit: 1).keys
            .first?.due
    }
}

extension Outbox {
    /// Schedule entries of one partition and lane that are due at `now`, in order, from `start` on, at most `limit`.
    package func dueEntries(
        partition: UInt8, carrier: CarrierName, lane: ScheduleKey.Lane, from start: ScheduleKey?, now: UInt64,
        limit: Int
    ) throws(StoreError) -> DueEntries {
        try database.dueEntries(
            partition: partition, carrier: carrier, lane: lane, from: start, now: now, limit: limit)
    }

    /// When the first entry of a partition's lane from `start` on is due; nil when there is none.
    package func nextDue(
        partition: UInt8, carrier: CarrierName, lane: ScheduleKey.Lane, from start: ScheduleKey?
    ) throws(StoreError) -> UInt64? {
        try database.nextDue(partition: partition, carrier: carrier, lane: lane, from: start)
    }
}
