public import Store

extension Outbox {
    /// Looks at the next `limit` watchers of one event in a batch of its own.
    ///
    /// `lists` are the event's watcher lists in their fixed order; `decide` is asked with the list's position.
    public func fanOut(
        event number: UInt64, lists: [WatchKey], limit: Int, ordinaryWatchers: UInt64, now: UInt64, expiresAt: UInt64,
        decide: @escaping @Sendable (DeviceRecord, Int) -> WatcherDecision
    ) async throws(StoreError) -> FanOutStep {
        let walk = FanOutWalk(event: number, lists: lists, expiresAt: expiresAt, decide: decide)
        return try await fanOut([walk], limit: limit, ordinaryWatchers: ordinaryWatchers, now: now)[0]
    }
}
