import Kaspa

/// How far each lane of each partition of the schedule has been read, so that what was taken is not read again.
///
/// Whoever takes deliveries keeps this value and passes it with each look.
///
/// After a clock was set back, some entries stand later than any delay of ours explains: they are due at once. They can
/// only be there at a start and after time went backward, so only then are they looked for.
public struct ScheduleCursor: Sendable {
    /// The longest that anything is put off, milliseconds: an hour.
    ///
    /// Back-off ends at 15 minutes, and a longer Retry-After counts as an hour: anything later shows a jump of the
    /// clock.
    public static let longestDelay: UInt64 = 3_600_000

    private struct Position: Hashable {
        let partition: UInt8
        let carrier: CarrierName
        let lane: ScheduleKey.Lane
    }

    private struct Line: Hashable {
        let carrier: CarrierName
        let lane: ScheduleKey.Lane
    }

    /// Where the next read of a partition's lane starts; nothing before it is waiting.
    private var starts: [Position: ScheduleKey] = [:]
    /// Until when nothing of a partition's lane is due, as the last look found; whoever adds an entry says so.
    ///
    /// Without it, every turn would look at the lanes of all partitions.
    private var quietUntil: [Position: UInt64] = [:]
    /// Whose far end may hold entries of a later clock.
    private var lookedAhead = AheadLook()
    private var lastNow: UInt64?
    /// Each lane has its own turn: with one for both, a lane would begin at every other partition only.
    private var nextPartition: [Line: UInt8] = [:]

    /// Nothing has been read.
    public init() {}

    /// What is known of the entries beyond the longest delay.
    private struct AheadLook {
        /// Positions that hold none.
        var clear: Set<Position> = []
        /// Where the next look at a position starts.
        var starts: [Position: ScheduleKey] = [:]

        mutating func take(
            _ position: Position, from schedule: any StoreReading, now: UInt64, limit: Int
        ) throws(StoreError) -> [ScheduleKey] {
            let found = try entries(position, in: schedule, now: now, limit: limit)
            if let last = found.last {
                starts[position] = last.next
            } else {
                clear.insert(position)
            }
            return found
        }

        func has(_ position: Position, in schedule: any StoreReading, now: UInt64) throws(StoreError) -> Bool {
            try !entries(position, in: schedule, now: now, limit: 1).isEmpty
        }

        func isClear(_ position: Position) -> Bool { clear.contains(position) }

        /// Where entries of a later clock would stand that are not taken yet.
        private func stretch(_ position: Position, now: UInt64) -> (lower: [UInt8], upper: [UInt8])? {
            ScheduleKey.stretch(
                partition: position.partition, carrier: position.carrier, lane: position.lane,
                dueAfter: now.later(by: ScheduleCursor.longestDelay), from: starts[position])
        }

        /// Adds what a look at a position reads.
        func add(_ position: Position, now: UInt64, limit: Int, to ahead: inout RowsAhead) {
            guard !clear.contains(position), let stretch = stretch(position, now: now) else { return }
            ahead.add(.schedule, from: stretch.lower, below: stretch.upper, limit: limit)
        }

        private func entries(
            _ position: Position, in schedule: any StoreReading, now: UInt64, limit: Int
        ) throws(StoreError) -> [ScheduleKey] {
            guard !clear.contains(position) else { return [] }
            guard let stretch = stretch(position, now: now) else { return [] }
            return try schedule.list(.schedule, from: stretch.lower, below: stretch.upper, limit: limit) {
                (row) throws(StoreError) in try ScheduleKey(row.key)
            }
        }
    }

    /// An entry was added, or is given back: if it stands before what has been read, it is read next.
    public mutating func added(_ key: ScheduleKey) {
        let position = Position(partition: key.device.partition, carrier: key.carrier, lane: key.lane)
        if key.due > (lastNow ?? 0).later(by: ScheduleCursor.longestDelay) {
            lookedAhead.clear.remove(position)
            if let start = lookedAhead.starts[position], key.bytes.lexicographicallyPrecedes(start.bytes) {
                lookedAhead.starts[position] = key
            }
        }
        if let quiet = quietUntil[position], key.due < quiet { quietUntil[position] = key.due }
        guard let start = starts[position] else { return }
        if key.bytes.lexicographicallyPrecedes(start.bytes) { starts[position] = key }
    }

    /// Whether a look at these lanes of a carrier may find anything: if not, nothing is read.
    func mayFind(of carrier: CarrierName, in lanes: [ScheduleKey.Lane], now: UInt64) -> Bool {
        if let lastNow, now < lastNow { return true }
        return lanes.contains { lane in
            (0..<DeviceID.partitionCount).contains {
                mayFind(at: Position(partition: $0, carrier: carrier, lane: lane), now: now)
            }
        }
    }

    private func mayFind(at position: Position, now: UInt64) -> Bool {
        now >= quietUntil[position, default: 0] || !lookedAhead.isClear(position)
    }

    /// Entries of a position that are read ahead at most.
    private static let rowsAhead = 256

    /// What a look at these positions reads.
    private func rows(at positions: some Sequence<Position>, now: UInt64, limit: Int) -> RowsAhead {
        var ahead = RowsAhead()
        for position in positions {
            let prefix = ScheduleKey.start(
                partition: position.partition, carrier: position.carrier, lane: position.lane)
            ahead.add(
                .schedule, from: starts[position]?.bytes ?? prefix, below: KeyBytes.successor(ofPrefix: prefix),
                limit: limit)
            lookedAhead.add(position, now: now, limit: limit, to: &ahead)
        }
        return ahead
    }

    /// Up to `limit` due entries of one lane of a carrier, partitions in turn so that none waits for another.
    ///
    /// On an error nothing has been taken.
    mutating func take(
        _ lane: ScheduleKey.Lane, of carrier: CarrierName, from schedule: any StoreReading, now: UInt64, limit: Int
    ) throws(StoreError) -> [ScheduleKey] {
        guard limit > 0 else { return [] }
        if let lastNow, now < lastNow {
            lookedAhead = AheadLook()
            quietUntil = [:]
        }
        lastNow = now
        var keys: [ScheduleKey] = []
        var starts = starts
        var quietUntil = quietUntil
        var lookedAhead = lookedAhead
        let line = Line(carrier: carrier, lane: lane)
        let first = nextPartition[line, default: 0]
        try schedule.willRead {
            let positions = (0..<DeviceID.partitionCount)
                .map { Position(partition: $0, carrier: carrier, lane: lane) }
                .filter { mayFind(at: $0, now: now) }
            return rows(at: positions, now: now, limit: min(max(1, limit / 4), Self.rowsAhead))
        }
        for offset in 0..<DeviceID.partitionCount where keys.count < limit {
            let partition = (first &+ offset) % DeviceID.partitionCount
            let position = Position(partition: partition, carrier: carrier, lane: lane)
            guard mayFind(at: position, now: now) else { continue }
            let share = min(limit - keys.count, max(1, limit / 4))
            let found = try schedule.dueEntries(
                partition: partition, carrier: carrier, lane: lane, from: starts[position], now: now, limit: share)
            if found.keys.count < share {
                quietUntil[position] = found.next ?? .max
                keys += try lookedAhead.take(position, from: schedule, now: now, limit: share - found.keys.count)
            }
            guard let last = found.keys.last else { continue }
            keys.append(contentsOf: found.keys)
            starts[position] = last.next
        }
        self.starts = starts
        self.quietUntil = quietUntil
        self.lookedAhead = lookedAhead
        nextPartition[line] = (first + 1) % DeviceID.partitionCount
        return keys
    }

    /// When the next unread entry is due; nil when none waits.
    ///
    /// Reads these lanes of the carrier, whatever is known of them: an entry that nobody announced is found here.
    mutating func nextDue(
        in schedule: any StoreReading, now: UInt64, of carrier: CarrierName, lanes: [ScheduleKey.Lane]
    ) throws(StoreError) -> UInt64? {
        var earliest: UInt64?
        let horizon = now.later(by: ScheduleCursor.longestDelay)
        let positions = (0..<DeviceID.partitionCount).flatMap { partition in
            lanes.map { Position(partition: partition, carrier: carrier, lane: $0) }
        }
        try schedule.willRead { rows(at: positions, now: now, limit: 1) }
        for position in positions {
            let due = try schedule.nextDue(
                partition: position.partition, carrier: carrier, lane: position.lane, from: starts[position])
            quietUntil[position] = due ?? .max
            if try lookedAhead.has(position, in: schedule, now: now) { return now }
            // What lies beyond, and is not found ahead, is being sent.
            if let due, due <= horizon { earliest = min(earliest ?? due, due) }
        }
        return earliest
    }

    /// When the first delivery that waits for a carrier was queued, of all partitions; nil when none waits.
    ///
    /// Those on probation do not count: they wait for all others, and tokens that are made up would raise the alarm.
    /// One that cannot be read is passed over: its error is told when it is to be sent.
    func oldestQueuedAt(of carrier: CarrierName, in outbox: Outbox) throws(StoreError) -> UInt64? {
        let positions = (0..<DeviceID.partitionCount).flatMap { partition in
            ScheduleKey.Lane.allCases.filter { $0 != .probation }
                .map { Position(partition: partition, carrier: carrier, lane: $0) }
        }
        let schedule = outbox.database.session()
        try schedule.willRead { rows(at: positions, now: .max, limit: 1) }
        var first: [ScheduleKey] = []
        for position in positions {
            first += try schedule.dueEntries(
                partition: position.partition, carrier: carrier, lane: position.lane, from: starts[position],
                now: .max, limit: 1
            ).keys
        }
        return try outbox.dueDeliveries(onDisk: first).compactMap { try? $0.get()?.delivery.queuedAt }.min()
    }
}

extension ScheduleKey {
    /// The next possible key: none has a greater seq for this device, due time and lane.
    fileprivate var next: ScheduleKey {
        ScheduleKey(carrier: carrier, lane: lane, due: due, device: device, seq: seq &+ 1)
    }
}
