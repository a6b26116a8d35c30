/// What an address sent and received as one list that stays up to date: pages and the live stream together.
///
/// While `run()` runs, the feed follows the service's stream, going on from the last event that it saw. Without a
/// stream it asks for the newest pages every 5, 15, 30 seconds and returns to the stream when it can. What it has, it
/// keeps while it is offline. One feed has one filter: make another feed for another one.
public actor ActivityFeed {
    /// Waits for some time; throws when its task is cancelled.
    public typealias Sleep = @Sendable (Duration) async throws -> Void

    let client: IndexerClient
    let address: String
    let filter: ActivityFilter
    let sleep: Sleep

    var list: ActivityList
    /// How deep the list is without a hole; nil: all of it.
    var floor: ActivityList.Position?
    /// Where older items begin; nil when there are none, or nothing was loaded yet.
    var nextCursor: String?
    /// Counts how often the newest pages were put in place of what was there.
    var catchUps = 0
    var lastEventID: String?
    var isLoaded: Bool
    /// Whether the list may miss something that no event will tell.
    var needsPages: Bool
    var pace = ActivityPace()

    /// Answers that are awaited; meanwhile `touched` has the items that events changed, which are newer than these.
    var fetches = 0
    var touched: Set<String> = []

    var connection = ActivitySnapshot.Connection.idle {
        didSet { if connection != oldValue { signal() } }
    }
    var isLoadingMore = false
    var loadMoreError: IndexerError?

    /// The current run: its number, and what ends its present round.
    var runs = 0
    var wake: AsyncStream<Void>.Continuation?
    private var listeners: [AsyncStream<Void>.Continuation] = []

    /// Makes a feed, which does nothing until it runs.
    ///
    /// - Parameters:
    ///   - client: The service.
    ///   - address: Whose activity it is, in lower case.
    ///   - filter: What is shown.
    ///   - saved: What `saved` of an earlier feed was; ignored if it is of another address or filter.
    ///   - sleep: How to wait.
    public init(
        client: IndexerClient, address: String, filter: ActivityFilter = ActivityFilter(),
        saved: SavedActivity? = nil, sleep: @escaping Sleep = { try await Task.sleep(for: $0) }
    ) {
        let saved = saved?.address == address && saved?.filter == filter ? saved : nil
        self.client = client
        self.address = address
        self.filter = filter
        self.sleep = sleep
        list = ActivityList(saved?.items ?? [])
        nextCursor = saved?.nextCursor
        floor = nextCursor == nil ? nil : saved?.items.last?.position
        lastEventID = saved?.lastEventID
        isLoaded = saved != nil
        needsPages = lastEventID == nil
    }

    /// The present list and its state, and again whenever either changes.
    ///
    /// A reader that is slow misses none but those in between: it always gets the newest. The stream ends when the
    /// reading task is cancelled.
    public func snapshots() -> AsyncStream<ActivitySnapshot> {
        let (signals, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        listener.yield()
        listeners.append(listener)
        return AsyncStream {
            for await _ in signals { return await self.snapshot }
            return nil
        }
    }

    /// The present list and its state.
    public var snapshot: ActivitySnapshot {
        ActivitySnapshot(
            items: list.items(downTo: floor), connection: connection, isLoaded: isLoaded, hasMore: nextCursor != nil,
            isLoadingMore: isLoadingMore, loadMoreError: loadMoreError)
    }

    /// What to give to the next feed of the same address and filter, after a restart; nil while nothing is loaded.
    public var saved: SavedActivity? {
        guard isLoaded else { return nil }
        return SavedActivity(
            address: address, filter: filter, items: list.items(downTo: floor), nextCursor: nextCursor,
            lastEventID: needsPages ? nil : lastEventID)
    }

    /// Connects at once instead of waiting: for a button "try again", or when the app comes to the foreground.
    public func reconnect() {
        wake?.yield()
    }

    /// Tells the readers of snapshots that something has changed.
    func signal() {
        listeners.removeAll {
            if case .terminated = $0.yield() { true } else { false }
        }
    }

    /// Takes an item as an event tells it.
    func apply(_ item: ActivityItem) {
        if filter.admits(item) { list.put(item) } else { list.remove(item.id) }
        touch(item.id)
    }

    /// Removes an item, as an event tells.
    func remove(_ id: String) {
        list.remove(id)
        touch(id)
    }

    private func touch(_ id: String) {
        if fetches > 0 { touched.insert(id) }
        signal()
    }

    /// Counts an answer that is awaited.
    func beginFetch() {
        fetches += 1
    }

    /// The answer is there, or will not come.
    func endFetch() {
        fetches -= 1
        if fetches == 0 { touched = [] }
    }
}
