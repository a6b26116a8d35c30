import Clocks
import Kaspa
import Store

/// The loop's periodic work: pruning and gauges.
extension Dispatcher {
    /// Deletes old rows, a bounded number in each turn, then pauses for `pruneInterval`.
    ///
    /// An error delays no delivery. It is tried again after the interval, or in the next turn while there is more.
    func prune() async {
        let now = clock.now()
        guard now >= lastPrune.later(by: Dispatcher.pruneInterval) || now < lastPrune else { return }
        var failure: StoreError?
        var hasMore = false
        do throws(StoreError) {
            hasMore = try await pruneMarkers(now: now)
        } catch {
            failure = error
        }
        do throws(StoreError) {
            if try await pruneLog(now: now) { hasMore = true }
        } catch {
            failure = error
        }
        // If the store refuses every write, the next turn reports it.
        if failure?.refusesEveryWrite == true { failure = nil }
        pruneFailure = failure
        if !hasMore { lastPrune = now }
    }

    /// Deletes markers of transactions older than `push.max_age`, which are never queued again.
    ///
    /// Returns whether there may be more.
    ///
    /// Ages count from the last applied block: after a downtime, blocks that are not read yet may remove a payment.
    private func pruneMarkers(now: UInt64) async throws(StoreError) -> Bool {
        guard let cursor = try await store.history.cursor() else { return false }
        let age = configuration.maximumAge.millisecondsRoundedDown.later(by: History.markerSlack)
        let count = try await store.outbox.pruneEnqueuedMarkers(
            before: min(now, cursor.timestamp).earlier(by: age), limit: Dispatcher.markersPerPrune,
            keepsUncorrected: configuration.retractions)
        return count >= Dispatcher.markersPerPrune
    }

    /// Deletes log entries that apps cannot ask for any more.
    ///
    /// Returns whether there may be more.
    private func pruneLog(now: UInt64) async throws(StoreError) -> Bool {
        guard now > StoreLimits.logAge else { return false }
        let count = try await store.outbox.forgetOldLog(
            before: now - StoreLimits.logAge, limit: Dispatcher.markersPerPrune)
        return count >= Dispatcher.markersPerPrune
    }

    /// Sets the gauges, once in each `reportInterval`.
    func report() async throws(StoreError) {
        let now = clock.now()
        guard now >= lastReport.later(by: Dispatcher.reportInterval) || now < lastReport else { return }
        lastReport = now
        let totals = try await store.totals()
        let oldest = try await store.outbox.oldestQueuedAt(cursor).values.min() ?? now
        instruments.depth(
            queued: totals.deliveries, inFlight: deliveries.sendingCount, oldestAgeMilliseconds: now &- min(now, oldest)
        )
        for name in CarrierName.allCases where lines[name].isConfigured {
            instruments.paused(name, lines[name].pause.reason != nil)
        }
        let books = try await store.outbox.books()
        lastBooks = books
        instruments.books(books)
        instruments.registry(devices: totals.devices, watchEntries: totals.watchEntries)
    }
}
