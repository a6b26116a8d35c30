import Kaspa
import Spans
import Store
import Tracing

/// How events become deliveries, in bounded steps.
extension PushNotificationActor {
    /// Queues the corrections that are due; returns whether there was one to look at, or the error.
    func retract() async -> Result<Bool, StoreError> {
        do throws(StoreError) {
            guard configuration.retractions, let cursor = try store.cursor() else { return .success(false) }
            let (seen, enqueued) = try await store.retractDue(
                now: clock.now(), chainTime: cursor.timestamp, limit: PushNotificationActor.retractionsPerTurn)
            instruments.event(.paymentReverted, count: enqueued)
            return .success(seen > 0)
        } catch {
            return .failure(error)
        }
    }

    /// Advances events by one step each; returns whether there is more to do, or the last error.
    ///
    /// While the disk is nearly full they wait; what is in the outbox already goes on.
    func fanOut() async -> Result<Bool, StoreError> {
        guard store.trouble?.code != .lowSpace else { return .success(false) }
        do throws(StoreError) {
            let sinkBlueScore = configuration.confirmations > 0 ? try store.cursor()?.blueScore ?? 0 : UInt64.max
            let events = try eventWalk.next(in: store, limit: PushNotificationActor.eventsPerTurn)
            let due = events.prefix { isDue($0, sinkBlueScore: sinkBlueScore) }
            var failure: StoreError?
            var rest = due[...]
            while !rest.isEmpty {
                let results = await advance(rest)
                for (event, result) in zip(rest, results) {
                    switch result {
                    case .success(let isFinished): eventWalk.advanced(event.number, isFinished: isFinished)
                    case .failure(let error):
                        failure = error
                        eventWalk.advanced(event.number, isFinished: false)
                    }
                }
                rest = rest.dropFirst(results.count)
            }
            var hasWorked = !due.isEmpty
            if due.count < events.count {
                let hasUnfinished = eventWalk.endRound()
                hasWorked = hasWorked || hasUnfinished
            }
            return failure.map { .failure($0) } ?? .success(hasWorked)
        } catch {
            return .failure(error)
        }
    }

    /// A correction waits for no confirmations: it is about what has none.
    private func isDue(_ event: PushEvent, sinkBlueScore: UInt64) -> Bool {
        guard event.kind != .paymentReverted else { return true }
        let (due, overflow) = event.acceptance.blueScore.addingReportingOverflow(configuration.confirmations)
        return overflow || sinkBlueScore >= due
    }

    /// Advances the first of `events` by a step, as many as go into one batch: whether each is finished, or its error.
    private func advance(_ events: ArraySlice<PushEvent>) async -> [Result<Bool, StoreError>] {
        let start = DefaultTracerClock.now
        var walks: [FanOutWalk] = []
        for event in events {
            guard event.kind != .paymentReverted, let walk = try? watcherWalk(event) else { break }
            walks.append(walk)
        }
        // A correction, or an event whose walk cannot even begin.
        guard !walks.isEmpty else { return [await advanceAlone(events[events.startIndex])] }
        do throws(StoreError) {
            let steps = try await store.fanOut(
                walks, limit: PushNotificationActor.watchersPerStep,
                ordinaryWatchers: UInt64(PushNotificationActor.watchersPerStep), now: clock.now())
            for (event, step) in zip(events, steps) {
                traced(SpanName.fanOut, from: start) { span in
                    span.follows(origins.origin(of: event.transactionID))
                    span.describe(event, step)
                }
                noteFanOut(step)
            }
            return steps.map { .success($0.finished) }
        } catch {
            // Nothing of it was written. Whose error it was shows when each goes alone.
            var results: [Result<Bool, StoreError>] = []
            for event in events.prefix(walks.count) { results.append(await advanceAlone(event)) }
            return results
        }
    }

    private func advanceAlone(_ event: PushEvent) async -> Result<Bool, StoreError> {
        do throws(StoreError) {
            let step = try await traced(SpanName.fanOut) { (span) async throws(StoreError) in
                span.follows(origins.origin(of: event.transactionID))
                let step = event.kind == .paymentReverted ? try await walkTold(event) : try await walkWatchers(event)
                span.describe(event, step)
                return step
            }
            noteFanOut(step)
            return .success(step.finished)
        } catch {
            return .failure(error)
        }
    }

    private func noteFanOut(_ step: FanOutStep) {
        for key in step.scheduled { scanner.added(key) }
        for (reason, count) in step.suppressed { instruments.suppressed(reason, count: count) }
    }

    private func walkTold(_ event: PushEvent) async throws(StoreError) -> FanOutStep {
        try await store.fanOutRetraction(
            event: event.number, limit: PushNotificationActor.watchersPerStep,
            ordinaryWatchers: UInt64(PushNotificationActor.watchersPerStep), now: clock.now(),
            expiresAt: expiry(of: event))
    }

    private func walkWatchers(_ event: PushEvent) async throws(StoreError) -> FanOutStep {
        let walk = try watcherWalk(event)
        return try await store.fanOut(
            event: walk.event, lists: walk.lists, limit: PushNotificationActor.watchersPerStep,
            ordinaryWatchers: UInt64(PushNotificationActor.watchersPerStep), now: clock.now(),
            expiresAt: walk.expiresAt, decide: walk.decide)
    }

    private func watcherWalk(_ event: PushEvent) throws(StoreError) -> FanOutWalk {
        let payload = try store.operation(event.transactionID)?.payload ?? []
        let audience = Audience(event, payload: payload, network: configuration.network)
        return FanOutWalk(event: event.number, lists: audience.lists, expiresAt: expiry(of: event)) {
            audience.decide($0, list: $1)
        }
    }

    private func expiry(of event: PushEvent) -> UInt64 {
        event.queuedAt.later(by: configuration.expiration.wholeMilliseconds)
    }
}
