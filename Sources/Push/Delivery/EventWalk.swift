import Store

/// Decides which waiting events have their turn: a pure value that says what to read, and records what was found and
/// done.
///
/// Each event gets one step, in the order of their numbers. What is left of it is its rest. The rests have turns of
/// their own, the oldest first, so that an event with many watchers yields to those with few.
struct EventWalk {
    /// Events read in one turn.
    ///
    /// After a restart, the rests of long events come before events that have not begun.
    static let eventsPerRead = 4_096

    /// What to read next.
    enum Look: Equatable {
        case events([UInt64])
        case after(UInt64)
    }

    /// Events up to this number have begun, or are finished.
    private(set) var position: UInt64 = 0
    /// Events up to this number are finished.
    private var floor: UInt64 = 0
    /// Where the rests are read from: after the floor, once a rest has failed.
    private var restStart: UInt64 = 0
    /// Whether an event up to the position may have a rest.
    private var hasRest = false
    /// The next events with a rest, so that finished events are not read again in every turn.
    private var restQueue: [UInt64] = []
    /// Events up to this number, after the first one that is not due, were checked.
    private var aheadPosition: UInt64 = 0
    /// Those of them that were due and are not finished.
    private(set) var aheadRests: [UInt64] = []

    // MARK: Events that have not begun

    /// Records the events that were found after the position.
    mutating func found(_ fresh: FreshEvents) {
        if let last = fresh.lastBegun {
            hasRest = true
            begin(upTo: last)
        }
        if let end = fresh.end { begin(upTo: end) }
    }

    /// Records that an event had its first step, as have all before it.
    mutating func begun(_ number: UInt64, isFinished: Bool) {
        if !isFinished { hasRest = true }
        begin(upTo: number)
    }

    private mutating func begin(upTo number: UInt64) {
        position = max(position, number)
        if !hasRest {
            floor = position
            restStart = position
        }
    }

    // MARK: Rests

    /// Where to read the next rests; nil when there are none.
    var restLook: Look? {
        guard hasRest else { return nil }
        return restQueue.isEmpty ? .after(restStart) : .events(restQueue)
    }

    /// Records what `look` has found.
    ///
    /// Returns the rests, the oldest first, or nil if more must be read.
    mutating func foundRests(_ events: [PushEvent], by look: Look) -> [PushEvent]? {
        let rests = events.filter { $0.number <= position }
        restQueue = rests.map(\.number)
        guard rests.isEmpty, case .after(let start) = look else { return rests.isEmpty ? nil : rests }
        if start > floor {
            restStart = floor
            return nil
        }
        hasRest = false
        begin(upTo: position)
        return []
    }

    /// Records that the oldest rest is finished.
    mutating func restFinished(_ number: UInt64) {
        if floor == restStart { floor = number }
        pass(number)
    }

    /// Records that the oldest rest failed.
    ///
    /// Those after it have their turn first.
    mutating func restFailed(_ number: UInt64) { pass(number) }

    private mutating func pass(_ number: UInt64) {
        restStart = number
        restQueue.removeAll { $0 <= number }
    }

    // MARK: Events ahead

    /// Records the events ahead that still exist.
    ///
    /// Returns the number after which to read more, or nil if there are `limit` of them.
    ///
    /// Events ahead come after the first one that is not due. Events are numbered in the order of acceptance, so after
    /// one without enough confirmations few have enough. Those are corrections, which need none, and events that had to
    /// wait for their sender. Each is read once.
    mutating func foundAhead(_ rests: [PushEvent], limit: Int) -> UInt64? {
        aheadRests = rests.map(\.number)
        guard aheadRests.count < limit else { return nil }
        aheadPosition = max(aheadPosition, position)
        return aheadPosition
    }

    /// Records the events that were read after that number.
    mutating func readAhead(_ events: [PushEvent]) {
        if let last = events.last { aheadPosition = last.number }
    }

    /// Records that an event ahead had a step, or failed.
    mutating func aheadAdvanced(_ number: UInt64, isFinished: Bool) {
        aheadRests.removeAll { $0 == number }
        if !isFinished { aheadRests.append(number) }
    }
}
