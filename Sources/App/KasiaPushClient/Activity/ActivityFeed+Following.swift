extension ActivityFeed {
    /// Keeps the list up to date until the calling task is cancelled.
    ///
    /// A second call takes over from the first, which returns.
    public func run() async {
        runs += 1
        let run = runs
        wake?.finish()
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.wake = wake
        while !Task.isCancelled, run == runs {
            pace = ActivityPace()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.followAndPoll() }
                for await _ in wakes { break }
                group.cancelAll()
            }
        }
        if run == runs { connection = .idle }
    }

    /// Round after round: the stream as long as there is one, else a poll and a pause.
    private func followAndPoll() async {
        connection = .connecting
        while !Task.isCancelled {
            var failure = await follow()
            if pace.polls, failure == nil, !Task.isCancelled {
                do throws(IndexerError) {
                    try await catchUp()
                    connection = .polling
                } catch {
                    failure = error
                }
            }
            guard !Task.isCancelled else { return }
            if let failure { connection = .offline(failure) }
            guard let pause = pace.pause(after: failure) else { return }
            do { try await sleep(pause) } catch { return }
            pace.waited(pause)
        }
    }

    /// Follows the stream until it ends, if it may be tried.
    ///
    /// - Returns: Why the pages could not be had that the stream needs, if so.
    private func follow() async -> IndexerError? {
        guard pace.mayStream else {
            pace.streamEnded(wasAlive: false, error: nil)
            return nil
        }
        var wasAlive = false
        do {
            // Without a last event the stream begins with its position, and what was before is on pages.
            needsPages = needsPages || lastEventID == nil
            let events = try await client.activityStream(
                of: address, includesTransfers: filter.wantsTransfers, lastEventID: lastEventID)
            if lastEventID != nil { try await goLive() }
            for try await event in events {
                take(event)
                wasAlive = wasAlive || event.change.showsLife
                try await goLive()
            }
            pace.streamEnded(wasAlive: wasAlive, error: nil)
        } catch {
            pace.streamEnded(wasAlive: wasAlive, error: (error as? IndexerError) ?? (error as? PagesMissing)?.reason)
            if let missing = error as? PagesMissing { return missing.reason }
        }
        if wasAlive { connection = .connecting }
        return nil
    }

    /// Applies an event to the list.
    private func take(_ event: ActivityEvent) {
        switch event.change {
        case .changed(let item): apply(item)
        case .removed(let id): remove(id)
        case .reset: needsPages = true
        case .position, .heartbeat: break
        }
        lastEventID = event.id ?? lastEventID
    }

    /// The stream is open: asks for the pages that are needed, once, and tells the readers.
    private func goLive() async throws(PagesMissing) {
        do throws(IndexerError) {
            if needsPages { try await catchUp() }
        } catch {
            throw PagesMissing(reason: error)
        }
        connection = .live
    }
}

/// The stream is there, but not the pages that it needs.
private struct PagesMissing: Error {
    let reason: IndexerError
}

extension ActivityEvent.Change {
    /// Whether a stream that brings it is worth being opened again at once.
    fileprivate var showsLife: Bool {
        switch self {
        case .changed, .removed, .heartbeat: true
        case .reset, .position: false
        }
    }
}
