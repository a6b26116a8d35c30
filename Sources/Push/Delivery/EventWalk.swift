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
        let events = try store.events(after: position, limit: limit)
        guard events.isEmpty, position > floor else { return events }
        endRound()
        return try store.events(after: position, limit: limit)
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
