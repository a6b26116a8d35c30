import Store

/// Which of the waiting events have their turn.
///
/// Each event has one step in the order of its number. What is left of it after that is its rest: the rests of all
/// events have turns of their own, the oldest first, so that an event with many watchers yields to those with few.
struct EventWalk {
    /// Events read in one turn: behind a restart the rests of long events stand before those that have not begun.
    static let eventsPerRead = 4_096

    /// Events up to this number have begun, or are finished.
    private var position: UInt64 = 0
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
    private var aheadRests: [UInt64] = []

    /// Events that have not begun, in order, at most `limit`; empty when none waits.
    ///
    /// `hasMore`: there may be others behind them.
    mutating func fresh(in store: Store, limit: Int) throws(StoreError) -> (events: [PushEvent], hasMore: Bool) {
        // Whatever is queued from here on has a greater number.
        let newest = try store.lastEventNumber()
        var events: [PushEvent] = []
        var (last, read) = (position, 0)
        while last < newest, read < EventWalk.eventsPerRead {
            let page = try store.events(after: last, limit: limit)
            guard let end = page.last?.number else {
                // The marks of events that are finished stay in the store for a while: they are read past once.
                if events.isEmpty { begin(upTo: newest) }
                return (events, false)
            }
            read += page.count
            for event in page {
                if events.isEmpty, store.isLong(event) {
                    hasRest = true
                    begin(upTo: event.number)
                } else if events.count < limit {
                    events.append(event)
                }
            }
            guard events.isEmpty else { return (events, page.count == limit) }
            last = end
        }
        return (events, last < newest)
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

    /// Events that have begun and are not finished, the oldest first, at most `limit`.
    mutating func rests(in store: Store, limit: Int) throws(StoreError) -> [PushEvent] {
        guard hasRest else { return [] }
        var events: [PushEvent] = []
        for number in restQueue {
            guard let event = try store.event(number) else { continue }
            events.append(event)
        }
        restQueue = events.map(\.number)
        guard events.isEmpty else { return events }
        events = try store.events(after: restStart, limit: limit).filter { $0.number <= position }
        if events.isEmpty, restStart > floor {
            restStart = floor
            events = try store.events(after: floor, limit: limit).filter { $0.number <= position }
        }
        if events.isEmpty {
            hasRest = false
            begin(upTo: position)
        }
        restQueue = events.map(\.number)
        return events
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

    /// Events behind the first one that is not due, at most `limit`, of which some may be due; each is read once.
    ///
    /// Events are numbered as the chain accepted them: behind one without enough confirmations mostly none has enough.
    /// A correction needs none, and one that had to wait for its sender comes later in line.
    mutating func ahead(in store: Store, limit: Int) throws(StoreError) -> [PushEvent] {
        var events: [PushEvent] = []
        for number in aheadRests {
            guard let event = try store.event(number) else { continue }
            events.append(event)
        }
        aheadRests = events.map(\.number)
        guard aheadRests.count < limit else { return events }
        aheadPosition = max(aheadPosition, position)
        let next = try store.events(after: aheadPosition, limit: limit)
        if let last = next.last { aheadPosition = last.number }
        return events + next
    }

    /// An event that was read ahead had a step, or could have none.
    mutating func aheadAdvanced(_ number: UInt64, isFinished: Bool) {
        aheadRests.removeAll { $0 == number }
        if !isFinished { aheadRests.append(number) }
    }
}
