import Clocks
import Kaspa
import Store

/// What the loop does now and then, whatever is to be sent.
extension Dispatcher {
    /// Forgets what is too old, a bounded stretch a turn, then nothing for a `pruneInterval`.
    ///
    /// What cannot be deleted holds up no delivery, and is tried again after that interval, or while there is more.
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
        // That nothing at all is written is told by the next turn, which ends when it does.
        if failure?.refusesEveryWrite == true { failure = nil }
        pruneFailure = failure
        if !hasMore { lastPrune = now }
    }

    /// A transaction older than `push.max_age` is not queued again anyway, so its marker can go; returns whether there
    /// may be more.
    ///
    /// Ages count from how far the chain is known: what is not read yet, as after a downtime, may take a payment out.
    private func pruneMarkers(now: UInt64) async throws(StoreError) -> Bool {
        guard let cursor = try await store.history.cursor() else { return false }
        let age = configuration.maximumAge.millisecondsRoundedDown.later(by: History.markerSlack)
        let count = try await store.outbox.pruneEnqueuedMarkers(
            before: min(now, cursor.timestamp).earlier(by: age), limit: Dispatcher.markersPerPrune,
            keepsUncorrected: configuration.retractions)
        return count >= Dispatcher.markersPerPrune
    }

    /// What is older than an app may ask for goes; returns whether there may be more.
    private func pruneLog(now: UInt64) async throws(StoreError) -> Bool {
        guard now > StoreLimits.logAge else { return false }
        let count = try await store.outbox.pruneDeliveryLog(
            before: now - StoreLimits.logAge, limit: Dispatcher.markersPerPrune)
        return count >= Dispatcher.markersPerPrune
    }

    /// Sets the gauges, once in a `reportInterval`.
    func report() async throws(StoreError) {
        let now = clock.now()
        guard now >= lastReport.later(by: Dispatcher.reportInterval) || now < lastReport else { return }
        lastReport = now
        let totals = try await store.totals()
        let oldest = try await store.outbox.oldestQueuedAt(cursor) ?? now
        instruments.depth(
            queued: totals.deliveries, inFlight: deliveries.sendingCount, oldestAgeMilliseconds: now &- min(now, oldest)
        )
        instruments.books(try await store.outbox.books())
        instruments.registry(devices: totals.devices, watchEntries: totals.watchEntries)
    }
}
