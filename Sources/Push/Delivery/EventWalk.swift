import Store

/// Which of the waiting events have their turn: a value that says what to read, and is told what was found and done.
///
/// Each event has one step in the order of its number. What is left of it after that is its rest: the rests of all
/// events have turns of their own, the oldest first, so that an event with many watchers yields to those with few.
struct EventWalk {
    /// Events read in one turn: behind a restart the rests of long events stand before those that have not begun.
    static let eventsPerRead = 4_096

    /// What is read next.
    enum Look: Equatable {
        case events([UInt64])
        case after(UInt64)
    }

    /// Events up to this number have begun, or are finished.
    private(set) var position: UInt64 = 0
    /// Events up to this number are finished.
    private var floor: UInt64 = 0
    /// Where the rests are read from: behind the floor, once one could not be walked.
    private var restStart: UInt64 = 0
    /// Whether an event up to the position may have a rest.
    private var hasRest = false
    /// The next of those that have one, so that nobody reads past the marks of finished events turn by turn.
    private var restQueue: [UInt64] = []
    /// Up to this number, events that are not due stand behind the first of them and were looked at.
    private var aheadPosition: UInt64 = 0
    /// Of those that were due nevertheless, the ones that are not finished.
    private(set) var aheadRests: [UInt64] = []

    // MARK: Events that have not begun

    /// Events after the position were looked for.
    mutating func found(_ fresh: FreshEvents) {
        if let last = fresh.lastBegun {
            hasRest = true
            begin(upTo: last)
        }
        if let end = fresh.end { begin(upTo: end) }
    }

    /// An event had its first step; those before it had theirs.
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

    /// Where the next rests are to be read; nil when there are none.
    var restLook: Look? {
        guard hasRest else { return nil }
        return restQueue.isEmpty ? .after(restStart) : .events(restQueue)
    }

    /// What `look` has found; returns the events that have begun and are not finished, the oldest first, or nil if
    /// there is another look to take.
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

    /// The oldest of the rests is finished.
    mutating func restFinished(_ number: UInt64) {
        if floor == restStart { floor = number }
        pass(number)
    }

    /// The oldest of the rests cannot be walked: those behind it have their turn first.
    mutating func restFailed(_ number: UInt64) { pass(number) }

    private mutating func pass(_ number: UInt64) {
        restStart = number
        restQueue.removeAll { $0 <= number }
    }

    // MARK: Events ahead

    /// Those read ahead before that are still there; returns after which number more are to be read, nil when there are
    /// as many as `limit`.
    ///
    /// They stand behind the first one that is not due; some may be due, and each is read once. Events are numbered as
    /// the chain accepted them: behind one without enough confirmations mostly none has enough. A correction needs
    /// none, and one that had to wait for its sender comes later in line.
    mutating func foundAhead(_ rests: [PushEvent], limit: Int) -> UInt64? {
        aheadRests = rests.map(\.number)
        guard aheadRests.count < limit else { return nil }
        aheadPosition = max(aheadPosition, position)
        return aheadPosition
    }

    /// What stands behind that number was read.
    mutating func readAhead(_ events: [PushEvent]) {
        if let last = events.last { aheadPosition = last.number }
    }

    /// An event that was read ahead had a step, or could have none.
    mutating func aheadAdvanced(_ number: UInt64, isFinished: Bool) {
        aheadRests.removeAll { $0 == number }
        if !isFinished { aheadRests.append(number) }
    }
}
