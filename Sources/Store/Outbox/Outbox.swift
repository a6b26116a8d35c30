import Kaspa

/// What is to be sent: events, the deliveries made of them, their schedule, the log of what devices were told, dead
/// letters, corrections, and the books that count all of it.
///
/// It asks the registry for watchers and devices (`StoreReading.watchers`, `device`), and has it remove a device whose
/// token Apple calls dead (`WriteTransaction.removeDevice`).
public struct Outbox: StorePart {
    let engine: StoreEngine
}

/// Events that have not begun, and what a look for them has found out.
public struct FreshEvents: Sendable {
    /// In order.
    public var events: [PushEvent] = []
    /// The number of the last event before them that has begun already; nil if there is none.
    public var lastBegun: UInt64?
    /// If `events` is empty: the number up to which none waits.
    public var end: UInt64?
    /// Whether there may be others behind them.
    public var hasMore = false
}

/// Events that wait to be turned into deliveries.
extension Outbox {
    /// Events in order after `number`, at most `limit`; answered from memory when none was queued after that one.
    public func events(after number: UInt64, limit: Int) async throws(StoreError) -> [PushEvent] {
        guard try number < database.lastEventNumber() else { return [] }
        return try await read { () throws(StoreError) in
            try database.events(after: number, limit: limit, network: network)
        }
    }

    /// Those of these events that still wait, in the order of `numbers`.
    public func events(_ numbers: [UInt64]) async throws(StoreError) -> [PushEvent] {
        guard !numbers.isEmpty else { return [] }
        return try await read { () throws(StoreError) in
            var events: [PushEvent] = []
            for number in numbers {
                guard let stored = try database.get(.events, PushEvent.key(number)) else { continue }
                events.append(try PushEvent(number: number, encoded: stored, network: network))
            }
            return events
        }
    }

    /// The number of the event that was queued last, waiting or not; 0 before the first.
    ///
    /// Answered from memory.
    public func lastEventNumber() async throws(StoreError) -> UInt64 { try database.lastEventNumber() }

    /// Events after `number` that have not begun, at most `limit`; answered from memory when there are none so new.
    ///
    /// An event with many watchers keeps its number while its rest waits: events that have begun are passed over. One
    /// look passes over at most `mostRead` of them and a page more.
    public func freshEvents(
        after number: UInt64, limit: Int, reading mostRead: Int
    ) async throws(StoreError) -> FreshEvents {
        // Whatever is queued from here on has a greater number.
        let newest = try database.lastEventNumber()
        guard number < newest else { return FreshEvents() }
        return try await read { () throws(StoreError) in
            var fresh = FreshEvents()
            var (last, read) = (number, 0)
            while last < newest, read < mostRead {
                let page = try database.events(after: last, limit: limit, network: network)
                guard let end = page.last?.number else {
                    // Finished events leave tombstones for a while: they are read past once.
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

extension StoreReading {
    func lastEventNumber() throws(StoreError) -> UInt64 {
        try number(at: MetaKey.lastEvent)
    }

    fileprivate func events(after number: UInt64, limit: Int, network: Network) throws(StoreError) -> [PushEvent] {
        guard number < .max else { return [] }
        return try list(
            .events, from: PushEvent.key(number + 1), below: KeyBytes.successor(ofPrefix: []), limit: limit
        ) { (row) throws(StoreError) in try PushEvent(row, network: network) }
    }
}

extension PushEvent {
    /// Whether so many watchers were looked at that others go before it.
    func isLong(_ limits: StoreLimits) -> Bool { progress.walked >= limits.longWalk }
}
