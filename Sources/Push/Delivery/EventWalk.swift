import Store

/// Goes round the waiting events, so that each gets its turn, without reading again what is behind the oldest of them.
struct EventWalk {
    /// Events up to this number are finished.
    private var floor: UInt64 = 0
    private var position: UInt64 = 0
    /// The oldest event of this round that is not finished.
    private var oldestUnfinished: UInt64?

    /// The next events in turn; empty when none waits.
    mutating func next(in store: Store, limit: Int) throws(StoreError) -> [PushEvent] {
        // Whatever is queued from here on has a greater number.
        let newest = try store.lastEventNumber()
        guard position > floor || position < newest else { return [] }
        var events = try store.events(after: position, limit: limit)
        if events.isEmpty, position > floor {
            endRound()
            events = try store.events(after: position, limit: limit)
        }
        if events.isEmpty {
            // The marks of events that are finished stay in the store for a while: they are read past once.
            floor = max(floor, newest)
            position = floor
        }
        return events
    }

    /// An event was looked at, and is finished or waits for its next turn.
    mutating func advanced(_ number: UInt64, isFinished: Bool) {
        position = number
        if !isFinished, oldestUnfinished == nil { oldestUnfinished = number }
    }

    /// Begins again at the oldest event that is not finished; returns whether this round left one unfinished.
    ///
    /// Events are numbered as the chain accepted them: behind one without enough confirmations none has enough. One
    /// that had to wait for its sender comes later in line, and so waits at most that much longer.
    @discardableResult
    mutating func endRound() -> Bool {
        let hasUnfinished = oldestUnfinished != nil
        floor = oldestUnfinished.map { $0 - 1 } ?? position
        position = floor
        oldestUnfinished = nil
        return hasUnfinished
    }
}
