extension IndexerClient {
    /// What an address sent and received, newest first.
    ///
    /// - Parameters:
    ///   - address: Whose activity it is.
    ///   - filter: What is asked for.
    ///   - limit: The most items; more than 100 are 100, nil is 50.
    ///   - cursor: `nextCursor` of the page before; nil for the newest.
    /// - Returns: A page.
    /// - Throws: `IndexerError`.
    public func activity(
        of address: String, matching filter: ActivityFilter = ActivityFilter(), limit: Int? = nil,
        cursor: String? = nil
    ) async throws(IndexerError) -> ActivityPage {
        try await value(
            Call(
                path: "/v1/activity",
                query: [("address", address)] + filter.query + [("limit", limit.map(String.init)), ("cursor", cursor)]))
    }

    /// What happens to an address, live.
    ///
    /// - Parameters:
    ///   - address: Whose activity it is.
    ///   - includesTransfers: Whether plain transfers are told, too.
    ///   - lastEventID: The id of the last event that was seen: everything since is told first. Without one the first
    ///     event has an id alone: page through the activity once it is there, and nothing is missed between.
    /// - Returns: The events, until the stream ends or fails.
    /// - Throws: `IndexerError`; with status 503 when all streams are taken.
    public func activityStream(
        of address: String, includesTransfers: Bool = false, lastEventID: String? = nil
    ) async throws(IndexerError) -> EventStream<ActivityEvent> {
        var call = Call(
            path: "/v1/activity/stream",
            query: [("address", address), ("include", includesTransfers ? "transfers" : nil)])
        call.headers["Last-Event-ID"] = lastEventID
        return try await events(call, read: ActivityEvent.init)
    }

    /// How transactions stand at the moment: one entry for each id, in their order; at most 100.
    public func refreshActivity(_ ids: [String]) async throws(IndexerError) -> [TransactionStatus] {
        try await value(.sending(RefreshBody(ids: ids), to: "/v1/activity/refresh"), as: TransactionStatuses.self)
            .items
    }
}
