import Clocks
import Kaspa
import Policy
import Spans
import Store
import Tracing

/// How events become deliveries, in bounded steps.
extension Dispatcher {
    /// Queues the corrections that are due; returns whether there was one to look at, or the error.
    func retract() async -> Result<Bool, StoreError> {
        do throws(StoreError) {
            guard configuration.retractions, let cursor = try await store.history.cursor() else {
                return .success(false)
            }
            let (seen, enqueued) = try await store.outbox.retractDue(
                now: clock.now(), knownUntil: clock.moment(ofChainTime: cursor.timestamp),
                limit: Dispatcher.retractionsPerTurn)
            instruments.pushes.event(.paymentReverted, count: enqueued)
            return .success(seen > 0)
        } catch {
            return .failure(error)
        }
    }

    /// Advances events by a step, then the rests of those that have begun; returns whether there is more to do, or the
    /// last error.
    ///
    /// While events wait that have not begun, the rests get no more work than those have had in the turn. While the
    /// disk is nearly full all wait; what is in the outbox already goes on.
    func fanOut() async -> Result<Bool, StoreError> {
        guard store.trouble?.code != .lowSpace else { return .success(false) }
        var turn = FanOutTurn()
        do throws(StoreError) {
            let sinkBlueScore =
                configuration.confirmations > 0 ? try await store.history.cursor()?.blueScore ?? 0 : UInt64.max
            let found = try await store.outbox.freshEvents(
                after: eventWalk.position, limit: Dispatcher.eventsPerTurn,
                reading: EventWalk.eventsPerRead)
            eventWalk.found(found)
            let fresh = found.events
            let due = fresh.prefix { isDue($0, sinkBlueScore: sinkBlueScore) }
            await advance(due, in: &turn) { eventWalk.begun($0, isFinished: $1) }
            if due.count < fresh.count {
                let ahead = try await eventsAhead()
                turn.hasWorked = turn.hasWorked || ahead.count >= Dispatcher.eventsPerTurn
                let early = ahead.filter { isDue($0, sinkBlueScore: sinkBlueScore) }
                await advance(early[...], in: &turn) { eventWalk.aheadAdvanced($0, isFinished: $1) }
            }
            let isBehind = found.hasMore && due.count == fresh.count
            turn.hasWorked = turn.hasWorked || isBehind
            restCredit = min(
                Dispatcher.restPerTurn, isBehind ? restCredit + turn.work : Dispatcher.restPerTurn
            )
            try await advanceRests(&turn)
            return turn.result
        } catch {
            return .failure(error)
        }
    }

    /// Events behind the first one that is not due.
    private func eventsAhead() async throws(StoreError) -> [PushEvent] {
        let limit = Dispatcher.eventsPerTurn
        let rests = try await store.outbox.events(eventWalk.aheadRests)
        guard let number = eventWalk.foundAhead(rests, limit: limit) else { return rests }
        let next = try await store.outbox.events(after: number, limit: limit)
        eventWalk.readAhead(next)
        return rests + next
    }

    /// Events that have begun and are not finished, the oldest first.
    private func rests() async throws(StoreError) -> [PushEvent] {
        while let look = eventWalk.restLook {
            let events: [PushEvent]
            switch look {
            case .events(let numbers): events = try await store.outbox.events(numbers)
            case .after(let number):
                events = try await store.outbox.events(after: number, limit: Dispatcher.eventsPerTurn)
            }
            if let rests = eventWalk.foundRests(events, by: look) { return rests }
        }
        return []
    }

    /// Advances each event by a step; `note` hears of each whether it is finished.
    private func advance(
        _ events: ArraySlice<PushEvent>, in turn: inout FanOutTurn, _ note: (UInt64, Bool) -> Void
    ) async {
        var rest = events
        while !rest.isEmpty {
            let results = await advance(rest)
            for (event, result) in zip(rest, results) { note(event.number, turn.add(result)) }
            rest = rest.dropFirst(results.count)
        }
    }

    /// Advances the oldest of the events that have begun, one after another, while they have credit.
    private func advanceRests(_ turn: inout FanOutTurn) async throws(StoreError) {
        guard restCredit > 0 else { return }
        var rest = try await rests()[...]
        while restCredit > 0, !rest.isEmpty {
            let before = turn.work
            let results = await advance(rest)
            for result in results {
                guard let event = rest.first else { break }
                if turn.add(result) {
                    eventWalk.restFinished(event.number)
                } else if case .failure = result {
                    eventWalk.restFailed(event.number)
                } else {
                    break
                }
                rest = rest.dropFirst()
            }
            restCredit -= turn.work - before
        }
    }

    private func isDue(_ event: PushEvent, sinkBlueScore: UInt64) -> Bool {
        PushPolicy.isDue(event, sinkBlueScore: sinkBlueScore, confirmations: configuration.confirmations)
    }

    /// Advances the first of `events` by a step, as many as go into one batch: the step of each, or its error.
    private func advance(_ events: ArraySlice<PushEvent>) async -> [Result<FanOutStep, StoreError>] {
        let start = DefaultTracerClock.now
        var walks: [FanOutWalk] = []
        for event in events {
            guard event.kind != .paymentReverted else { break }
            walks.append(watcherWalk(event))
        }
        // A correction.
        guard !walks.isEmpty else { return [await advanceAlone(events[events.startIndex])] }
        do throws(StoreError) {
            let steps = try await walkWatchers(walks)
            for (event, step) in zip(events, steps) {
                traced(SpanName.fanOut, from: start) { span in
                    span.follows(origins.origin(of: event.transactionID))
                    span.describe(event, step)
                }
                noteFanOut(step)
            }
            return steps.map { .success($0) }
        } catch {
            // Nothing of it was written. Whose error it was shows when each goes alone.
            var results: [Result<FanOutStep, StoreError>] = []
            for event in events.prefix(walks.count) { results.append(await advanceAlone(event)) }
            return results
        }
    }

    private func advanceAlone(_ event: PushEvent) async -> Result<FanOutStep, StoreError> {
        do throws(StoreError) {
            let step = try await traced(SpanName.fanOut) { (span) async throws(StoreError) in
                span.follows(origins.origin(of: event.transactionID))
                let step =
                    event.kind == .paymentReverted
                    ? try await walkTold(event) : try await walkWatchers([watcherWalk(event)])[0]
                span.describe(event, step)
                return step
            }
            noteFanOut(step)
            return .success(step)
        } catch {
            return .failure(error)
        }
    }

    private func noteFanOut(_ step: FanOutStep) {
        giveBack(step.scheduled)
        for (reason, count) in step.suppressed { instruments.suppressed(reason, count: count) }
        instruments.suppressed(.queueFull, count: step.dropped)
    }

    private func walkTold(_ event: PushEvent) async throws(StoreError) -> FanOutStep {
        try await store.outbox.fanOutRetraction(
            event: event.number, limit: Dispatcher.watchersPerStep,
            ordinaryWatchers: UInt64(Dispatcher.watchersPerStep), now: clock.now(),
            expiresAt: expiry(of: event)
        ) { PushPolicy.corrections.decide($0) }
    }

    private func walkWatchers(_ walks: [FanOutWalk]) async throws(StoreError) -> [FanOutStep] {
        try await store.outbox.fanOut(
            walks, limit: Dispatcher.watchersPerStep, ordinaryWatchers: UInt64(Dispatcher.watchersPerStep),
            now: clock.now())
    }

    private func watcherWalk(_ event: PushEvent) -> FanOutWalk {
        let audience = Audience(event, network: configuration.network, chainTime: clock.chain())
        return FanOutWalk(event: event.number, lists: audience.lists, expiresAt: expiry(of: event)) {
            audience.decide($0, list: $1)
        }
    }

    private func expiry(of event: PushEvent) -> UInt64 {
        event.queuedAt.later(by: configuration.expiration.millisecondsRoundedDown)
    }
}

/// What one turn of the fan-out has done.
private struct FanOutTurn {
    /// Watchers looked at, and at least one for each step.
    var work = 0
    var hasWorked = false
    private var failure: StoreError?

    /// Whether there is more to do, or the last error.
    var result: Result<Bool, StoreError> { failure.map { .failure($0) } ?? .success(hasWorked) }

    /// Takes over what came of a step; returns whether the event is finished.
    mutating func add(_ result: Result<FanOutStep, StoreError>) -> Bool {
        hasWorked = true
        switch result {
        case .success(let step):
            work += max(1, step.walked)
            return step.finished
        case .failure(let error):
            work += 1
            failure = error
            return false
        }
    }
}
