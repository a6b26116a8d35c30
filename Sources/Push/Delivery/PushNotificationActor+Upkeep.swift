import Kaspa
import Store

/// What the loop does now and then, whatever is to be sent.
extension PushNotificationActor {
    /// A transaction older than `push.max_age` is not queued again anyway, so its marker can go.
    func pruneMarkers() async throws(StoreError) {
        let now = clock.now()
        guard now >= lastPrune.later(by: PushNotificationActor.pruneInterval) || now < lastPrune else { return }
        let age = configuration.maximumAge.wholeMilliseconds.later(by: Store.markerSlack)
        guard now > age else { return }
        let count = try await store.pruneEnqueuedMarkers(
            before: now - age, limit: PushNotificationActor.markersPerPrune)
        if count < PushNotificationActor.markersPerPrune { lastPrune = now }
    }

    /// What is older than an app may ask for goes, a bounded stretch a turn.
    func pruneLog() async throws(StoreError) {
        let now = clock.now()
        guard now >= lastLogPrune.later(by: PushNotificationActor.pruneInterval) || now < lastLogPrune else { return }
        guard now > StoreLimits.logAge else { return }
        let count = try await store.pruneDeliveryLog(
            before: now - StoreLimits.logAge, limit: PushNotificationActor.markersPerPrune)
        if count < PushNotificationActor.markersPerPrune { lastLogPrune = now }
    }

    /// Sets the gauges, once in a `reportInterval`.
    func report() throws(StoreError) {
        let now = clock.now()
        guard now >= lastReport.later(by: PushNotificationActor.reportInterval) || now < lastReport else { return }
        lastReport = now
        let totals = try store.totals()
        let oldest = try scanner.oldestQueuedAt(in: store) ?? now
        instruments.depth(
            queued: totals.deliveries, inFlight: running, oldestAgeMilliseconds: now &- min(now, oldest))
        instruments.books(try store.books())
        instruments.registry(devices: totals.devices, watchEntries: totals.watchEntries)
    }
}
