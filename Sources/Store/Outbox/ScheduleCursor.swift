import DequeModule
import Kaspa

/// What waits next in each lane of each partition of the schedule, and how far that has been taken.
///
/// Whoever takes deliveries keeps this value. It holds the first entries of each lane in memory: those that were read,
/// and those that were added since. `read` fills it where it holds none, and `take` asks memory alone.
///
/// After a clock was set back, some entries stand later than any delay of ours explains: they are due at once. They can
/// only be there at a start and after time went backward, so only then are they looked for.
public struct ScheduleCursor: Sendable {
    /// The longest that anything is put off, milliseconds: an hour.
    ///
    /// Back-off ends at 15 minutes, and a longer Retry-After counts as an hour: anything later shows a jump of the
    /// clock.
    public static let longestDelay: UInt64 = 3_600_000
    /// How often the schedule is read anew, milliseconds, so that an entry is found that nobody announced.
    static let lookInterval: UInt64 = 1_000
    /// Entries of a lane of a partition that one read brings; twice as many are kept at most.
    static let entriesPerRead = 256

    private var lines = [Line](repeating: Line(), count: CarrierName.allCases.count * ScheduleKey.Lane.allCases.count)
    private var lastNow: UInt64?

    /// Nothing has been read.
    public init() {}

    private static func index(_ carrier: CarrierName, _ lane: ScheduleKey.Lane) -> Int {
        Int(carrier.rawValue) * ScheduleKey.Lane.allCases.count + Int(lane.rawValue)
    }

    // MARK: What is known

    /// An entry was added, or is given back; it must be in the schedule by now.
    public mutating func added(_ key: ScheduleKey) {
        let isAstray = key.due > (lastNow ?? 0).later(by: ScheduleCursor.longestDelay)
        lines[ScheduleCursor.index(key.carrier, key.lane)].heads[Int(key.device.partition)]
            .added(key, isAstray: isAstray)
    }

    /// Whether `read` must be called before the lanes of these carriers can be taken from.
    public func mustRead(_ carriers: some Sequence<CarrierName>, now: UInt64) -> Bool {
        if let lastNow, now < lastNow { return true }
        return carriers.contains { carrier in
            ScheduleKey.Lane.allCases.contains { lane in
                let line = lines[ScheduleCursor.index(carrier, lane)]
                return line.mustLook(now: now) || line.heads.contains(where: \.mustRead)
            }
        }
    }

    /// Up to `request.limit` due entries of a carrier's lanes, partitions in turn so that none waits for another.
    ///
    /// What has not been read is not found. One that was taken may be found again while it is in the schedule: what
    /// `isWanted` refuses is dropped, and counts for nothing.
    public mutating func take(
        _ request: DueRequest, now: UInt64, where isWanted: (ScheduleKey) -> Bool
    ) -> [ScheduleKey] {
        lastNow = max(now, lastNow ?? 0)
        return request.collect { lane, limit in
            lines[ScheduleCursor.index(request.carrier, lane)].take(limit, now: now, where: isWanted)
        }
    }

    /// When the next entry of these lanes that was read, and not taken, is due; nil when none waits.
    public func nextDue(_ lanes: [CarrierName: [ScheduleKey.Lane]], now: UInt64) -> UInt64? {
        // What lies beyond, and was not found astray, is being sent.
        let horizon = now.later(by: ScheduleCursor.longestDelay)
        return lanes.flatMap { carrier, lanes in lanes.map { lines[ScheduleCursor.index(carrier, $0)] } }
            .lazy.flatMap(\.heads).compactMap { $0.isAstray ? now : $0.first?.due }.filter { $0 <= horizon }.min()
    }

    // MARK: Reading

    /// Reads what `take` and `nextDue` must know of these carriers.
    ///
    /// Returns the first error; what it concerns is read again the next time.
    mutating func read(
        _ carriers: some Sequence<CarrierName>, from schedule: any StoreReading, now: UInt64
    ) -> StoreError? {
        if let lastNow, now < lastNow {
            for index in lines.indices { lines[index].forgetAstray() }
        }
        lastNow = now
        let parts = carriers.flatMap { carrier in
            ScheduleKey.Lane.allCases.flatMap { lane in
                (0..<DeviceID.partitionCount).map { Part(partition: $0, carrier: carrier, lane: lane) }
            }
        }
        let old = parts.filter { lines[$0.line].mustLook(now: now) }
        for part in old {
            lines[part.line].heads[Int(part.partition)].forget()
            lines[part.line].lookedAt = now
        }
        let unread = parts.filter { head($0).mustRead }
        do throws(StoreError) {
            try schedule.willRead {
                var ahead = RowsAhead()
                for part in unread { head(part).addRows(of: part, now: now, to: &ahead) }
                return ahead
            }
        } catch {
            return error
        }
        var failure: StoreError?
        for part in unread {
            do throws(StoreError) {
                try lines[part.line].heads[Int(part.partition)].read(schedule, part, now: now)
            } catch {
                failure = failure ?? error
            }
        }
        return failure
    }

    private func head(_ part: Part) -> Head { lines[part.line].heads[Int(part.partition)] }

    /// When the first delivery that waits for a carrier was queued, of all partitions; nil when none waits.
    ///
    /// Those on probation do not count: they wait for all others, and tokens that are made up would raise the alarm.
    /// One that cannot be read is passed over: its error is told when it is to be sent.
    func oldestQueuedAt(of carrier: CarrierName, in outbox: Outbox) throws(StoreError) -> UInt64? {
        let parts = (0..<DeviceID.partitionCount).flatMap { partition in
            ScheduleKey.Lane.allCases.filter { $0 != .probation }
                .map { Part(partition: partition, carrier: carrier, lane: $0) }
        }
        let schedule = outbox.database.session()
        let unread = parts.filter { head($0).mustRead }
        try schedule.willRead {
            var ahead = RowsAhead()
            for part in unread { ahead.ranges.append(head(part).first(of: part)) }
            return ahead
        }
        var first = parts.compactMap { head($0).first }
        for part in unread where head(part).first == nil { first += try schedule.entries(head(part).first(of: part)) }
        return try outbox.dueDeliveries(onDisk: first).compactMap { try? $0.get()?.delivery.queuedAt }.min()
    }

    // MARK: Parts

    /// A lane of a carrier in one partition.
    private struct Part {
        let partition: UInt8
        let carrier: CarrierName
        let lane: ScheduleKey.Lane

        var line: Int { ScheduleCursor.index(carrier, lane) }

        /// Entries from `start` on, or from the first.
        func rows(from start: ScheduleKey?, limit: Int) -> RowsAhead.Range {
            ScheduleKey.rows(partition: partition, carrier: carrier, lane: lane, from: start, limit: limit)
        }

        /// Those that are due later than `time`; nil: there can be none.
        func rows(dueAfter time: UInt64, from start: ScheduleKey?, limit: Int) -> RowsAhead.Range? {
            ScheduleKey.rows(
                partition: partition, carrier: carrier, lane: lane, dueAfter: time, from: start, limit: limit)
        }
    }

    /// A lane of a carrier in all partitions.
    private struct Line {
        var heads = [Head](repeating: Head(), count: Int(DeviceID.partitionCount))
        /// When it was last read anew.
        var lookedAt: UInt64?
        /// Each lane has its own turn: with one for all, a lane would begin at some partitions only.
        private var nextPartition = 0

        func mustLook(now: UInt64) -> Bool {
            lookedAt.map { now >= $0.later(by: ScheduleCursor.lookInterval) || now < $0 } ?? true
        }

        mutating func forgetAstray() {
            for index in heads.indices { heads[index].forgetAstray() }
        }

        mutating func take(_ limit: Int, now: UInt64, where isWanted: (ScheduleKey) -> Bool) -> [ScheduleKey] {
            var keys: [ScheduleKey] = []
            guard limit > 0 else { return keys }
            for offset in heads.indices where keys.count < limit {
                let partition = (nextPartition + offset) % heads.count
                let share = min(limit - keys.count, max(1, limit / 4))
                heads[partition].take(share, now: now, where: isWanted, into: &keys)
            }
            nextPartition = (nextPartition + 1) % heads.count
            return keys
        }
    }

    /// A lane of a carrier in one partition: what is known of it.
    private struct Head {
        /// The first entries that wait: all that are known before `edge`, in the order of the schedule.
        private var known = Deque<ScheduleKey>()
        /// What waits from here on has not been read, unless `isWhole`; nil: the first possible entry.
        private var edge: ScheduleKey?
        /// Whether `known` is all that waits.
        private var isWhole = false
        /// Behind what has been taken; nil: the first possible entry.
        private var front: ScheduleKey?
        /// Where `front` was when all was read anew: what was added since, and not told, can only stand behind it.
        private var start: ScheduleKey?
        /// Entries of a later clock, which are due at once.
        private var astray = Deque<ScheduleKey>()
        /// Whether there are no others.
        private var hasAllAstray = false
        /// Where the next read of them starts.
        private var astrayStart: ScheduleKey?

        var mustRead: Bool { (known.isEmpty && !isWhole) || (astray.isEmpty && !hasAllAstray) }
        var isAstray: Bool { !astray.isEmpty }
        var first: ScheduleKey? { known.first }

        mutating func added(_ key: ScheduleKey, isAstray: Bool) {
            if isAstray {
                hasAllAstray = false
                if let start = astrayStart, key.isBefore(start) { astrayStart = key }
            }
            goBack(to: key)
            guard isWhole || edge.map(key.isBefore) ?? false else { return }
            insert(key)
        }

        private mutating func goBack(to key: ScheduleKey) {
            if let front, key.isBefore(front) { self.front = key }
            if let start, key.isBefore(start) { self.start = key }
        }

        private mutating func insert(_ key: ScheduleKey) {
            var (low, high) = (0, known.count)
            // Most come last.
            if let last = known.last, last.isBefore(key) { low = high }
            while low < high {
                let middle = (low + high) / 2
                if known[middle].isBefore(key) { low = middle + 1 } else { high = middle }
            }
            guard low == known.count || known[low] != key else { return }
            known.insert(key, at: low)
            guard known.count > 2 * ScheduleCursor.entriesPerRead else { return }
            edge = known[ScheduleCursor.entriesPerRead]
            known.removeLast(known.count - ScheduleCursor.entriesPerRead)
            isWhole = false
        }

        mutating func forgetAstray() {
            hasAllAstray = false
            astrayStart = nil
        }

        mutating func take(
            _ limit: Int, now: UInt64, where isWanted: (ScheduleKey) -> Bool, into keys: inout [ScheduleKey]
        ) {
            let end = keys.count + limit
            while keys.count < end, let key = known.first, key.due <= now {
                known.removeFirst()
                front = key.next
                if isWanted(key) { keys.append(key) }
            }
            while keys.count < end, let key = astray.popFirst() {
                if isWanted(key) { keys.append(key) }
            }
        }

        /// The first entry that was not taken.
        func first(of part: Part) -> RowsAhead.Range { part.rows(from: front, limit: 1) }

        /// Has all read anew that had not been taken at the last look; some of it may have been taken since.
        mutating func forget() {
            known = []
            isWhole = false
            edge = start
            start = front
        }

        private func rows(of part: Part) -> RowsAhead.Range? {
            known.isEmpty && !isWhole ? part.rows(from: edge, limit: ScheduleCursor.entriesPerRead) : nil
        }

        private func astrayRows(of part: Part, now: UInt64) -> RowsAhead.Range? {
            part.rows(
                dueAfter: now.later(by: ScheduleCursor.longestDelay), from: astrayStart,
                limit: ScheduleCursor.entriesPerRead)
        }

        /// Adds what `read` reads.
        func addRows(of part: Part, now: UInt64, to ahead: inout RowsAhead) {
            if let rows = rows(of: part) { ahead.ranges.append(rows) }
            guard astray.isEmpty, !hasAllAstray, let rows = astrayRows(of: part, now: now) else { return }
            ahead.ranges.append(rows)
        }

        mutating func read(_ schedule: any StoreReading, _ part: Part, now: UInt64) throws(StoreError) {
            if let rows = rows(of: part) {
                known = Deque(try schedule.entries(rows))
                isWhole = known.count < rows.limit
                edge = known.last?.next ?? edge
                if let first = known.first { goBack(to: first) }
            }
            guard astray.isEmpty, !hasAllAstray else { return }
            let rows = astrayRows(of: part, now: now)
            if let rows { astray = Deque(try schedule.entries(rows)) }
            hasAllAstray = astray.count < rows?.limit ?? 1
            astrayStart = astray.last?.next ?? astrayStart
        }
    }
}

extension ScheduleKey {
    /// The next possible key: none has a greater seq for this device, due time and lane.
    fileprivate var next: ScheduleKey {
        ScheduleKey(carrier: carrier, lane: lane, due: due, device: device, seq: seq &+ 1)
    }

    /// Whether it stands before another entry of its lane and partition.
    fileprivate func isBefore(_ other: ScheduleKey) -> Bool {
        (due, device, seq) < (other.due, other.device, other.seq)
    }
}
