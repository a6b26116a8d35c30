extension ActivityFeed {
    /// Items asked for at once: as many as the service gives.
    static let pageItems = 100
    /// The most pages that are asked for in a row.
    static let maximumPages = 20
    /// How much older than the newest item something new can be, in milliseconds.
    ///
    /// A block's time may be two minutes ahead of the others', and what comes later may have an earlier one.
    static let lateness: UInt64 = 600_000

    /// Loads older items: at least one, unless there are none that the filter admits among very many.
    ///
    /// It does nothing while older items are being loaded, or when there are none.
    public func loadMore() async {
        guard !isLoadingMore, nextCursor != nil else { return }
        (isLoadingMore, loadMoreError) = (true, nil)
        signal()
        do throws(IndexerError) {
            try await loadOlder()
        } catch {
            if error.kind != .cancelled { loadMoreError = error }
        }
        isLoadingMore = false
        signal()
    }

    private func loadOlder() async throws(IndexerError) {
        beginFetch()
        defer { endFetch() }
        for _ in 0..<ActivityFeed.maximumPages {
            guard let cursor = nextCursor else { return }
            let started = catchUps
            let page = try await page(after: cursor)
            // The page may be older than what was asked for meanwhile, and of a list that has begun anew.
            guard started == catchUps else { continue }
            nextCursor = page.nextCursor
            let last = page.items.last?.position
            guard last != nil || page.nextCursor == nil else { continue }
            let bottom = page.nextCursor == nil ? nil : last
            list.replace(behind: floor, downTo: bottom, with: page.items, newer: touched)
            floor = bottom
            return
        }
    }

    /// Asks for the newest pages, down to what is known and cannot have changed, and puts them in place of what is
    /// there.
    ///
    /// Where that takes more than `maximumPages`, the list ends behind them, and older items are loaded anew.
    func catchUp() async throws(IndexerError) {
        let known = list.items().first.map { $0.blockTime - min($0.blockTime, ActivityFeed.lateness) }
        beginFetch()
        defer { endFetch() }
        var items: [ActivityItem] = []
        var cursor: String?
        for number in 1...ActivityFeed.maximumPages {
            let page = try await page(after: cursor)
            items += page.items
            cursor = page.nextCursor
            guard cursor != nil, let last = items.last else {
                if cursor == nil { break }
                continue
            }
            if let known, last.blockTime < known {
                list.replace(downTo: last.position, with: items, newer: touched)
                try await refresh(behind: last.position)
                return finishCatchUp()
            }
            if known == nil || number == ActivityFeed.maximumPages { break }
        }
        // The list begins anew: these items, and what follows them on further pages.
        list.replace(downTo: nil, with: items, newer: touched)
        floor = cursor == nil ? nil : items.last?.position
        nextCursor = cursor
        finishCatchUp()
    }

    private func finishCatchUp() {
        catchUps += 1
        isLoaded = true
        needsPages = false
        signal()
    }

    /// Asks how those items stand that are older than the pages and may still change; the newest hundred of them.
    private func refresh(behind position: ActivityList.Position) async throws(IndexerError) {
        let open = list.items(behind: position).lazy.filter { $0.status != .confirmed }.prefix(ActivityFeed.pageItems)
        let items = Dictionary(open.map { ($0.id, $0) }) { first, _ in first }
        guard !items.isEmpty else { return }
        for status in try await client.refreshActivity(Array(items.keys)) where !touched.contains(status.id) {
            guard var item = items[status.id] else { continue }
            item.status = status.status
            item.confirmations = status.confirmations
            item.blockTime = status.blockTime ?? item.blockTime
            item.acceptedAt = status.acceptedAt
            if status.status != .unknown, filter.admits(item) { list.put(item) } else { list.remove(item.id) }
        }
    }

    private func page(after cursor: String?) async throws(IndexerError) -> ActivityPage {
        try await client.activity(of: address, matching: filter, limit: ActivityFeed.pageItems, cursor: cursor)
    }
}
