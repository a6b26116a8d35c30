/// An address's activity at one moment, ready to be shown.
public struct ActivitySnapshot: Hashable, Sendable {
    /// How the list is kept up to date.
    public enum Connection: Hashable, Sendable {
        /// The feed does not run.
        case idle
        /// The feed connects.
        case connecting
        /// Changes come as they happen.
        case live
        /// There is no stream at the moment; the newest pages are asked for from time to time.
        case polling
        /// The service could not be reached, or refused. The feed tries again by itself if the error is temporary.
        case offline(IndexerError)
    }

    /// What to show.
    public enum Phase: Hashable, Sendable {
        /// Nothing has been loaded yet.
        case loading
        /// Nothing is there; if `hasMore`, nothing among the newest items that the filter admits.
        case empty
        /// Nothing has been loaded, and the last try failed: show the error and a button for `reconnect()`.
        case failed(IndexerError)
        /// Show the items, with `connection` beside them.
        case list
    }

    /// The items, newest first and once each; without a hole down to the oldest that was loaded.
    public var items: [ActivityItem]
    /// How the list is kept up to date.
    public var connection: Connection
    /// Whether the list was ever loaded.
    public var isLoaded: Bool
    /// Whether there are older items to load.
    public var hasMore: Bool
    /// Whether older items are being loaded.
    public var isLoadingMore: Bool
    /// Why the last try to load older items failed.
    public var loadMoreError: IndexerError?

    /// What to show.
    public var phase: Phase {
        if !items.isEmpty { return .list }
        if isLoaded { return .empty }
        guard case .offline(let error) = connection else { return .loading }
        return .failed(error)
    }
}

/// What an app keeps of a feed over a restart, so that it shows something at once and asks only for what is new.
public struct SavedActivity: Hashable, Sendable, Codable {
    /// Whose activity it is.
    public var address: String
    /// What was asked for.
    public var filter: ActivityFilter
    /// The items, newest first.
    public var items: [ActivityItem]
    /// Where older items begin; nil when all are loaded.
    public var nextCursor: String?
    /// The last event that was seen.
    public var lastEventID: String?
}
