import Kaspa

/// Events that have not begun, and what a look for them has found out.
public struct FreshEvents: Sendable {
    /// In order.
    public var events: [PushEvent] = []
    /// The number of the last event before them that has begun already; nil where none stands there.
    public var lastBegun: UInt64?
    /// Where there are none: the number up to which none waits.
    public var end: UInt64?
    /// Whether there may be others behind them.
    public var hasMore = false
}

/// Events that wait to be turned into deliveries.
extension Outbox {
    /// Events in order after `number`, at most `limit`.
    public func waitingEvents(after number: UInt64, limit: Int) async throws(StoreError) -> [PushEvent] {
        try await read { () throws(StoreError) in try events(after: number, limit: limit) }
    }

    /// Those of these events that are still there, in their order.
    public func waitingEvents(_ numbers: [UInt64]) async throws(StoreError) -> [PushEvent] {
        guard !numbers.isEmpty else { return [] }
        return try await read { () throws(StoreError) in
            var events: [PushEvent] = []
            for number in numbers {
                if let event = try event(number) { events.append(event) }
            }
            return events
        }
    }

    /// Events after `number` that have not begun, at most `limit`.
    ///
    /// Those with many watchers have their number before others and their rest behind them: where they have begun, they
    /// are passed over. At most `mostRead` are, and somewhat more, in one look.
    public func freshEvents(
        after number: UInt64, limit: Int, reading mostRead: Int
    ) async throws(StoreError) -> FreshEvents {
        try await read { () throws(StoreError) in
            var fresh = FreshEvents()
            // Whatever is queued from here on has a greater number.
            let newest = try database.lastEventNumber()
            var (last, read) = (number, 0)
            while last < newest, read < mostRead {
                let page = try events(after: last, limit: limit)
                guard let end = page.last?.number else {
                    // The marks of events that are finished stay in the store for a while: they are read past once.
                    fresh.end = newest
                    return fresh
                }
                read += page.count
                let begun = page.prefix { $0.isLong(limits) }
                if let event = begun.last { fresh.lastBegun = event.number }
                fresh.events = Array(page.dropFirst(begun.count))
                if !fresh.events.isEmpty {
                    fresh.hasMore = page.count == limit
                    return fresh
                }
                last = end
            }
            fresh.hasMore = last < newest
            return fresh
        }
    }
}
