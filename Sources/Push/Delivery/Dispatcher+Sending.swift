import Carriers
import Clocks
import Kaspa
import Policy
import Spans
import Store
import Tracing

/// Hands due deliveries to their carriers.
extension Dispatcher {
    /// Starts due deliveries of each carrier that has room.
    ///
    /// Returns whether there was one.
    ///
    /// Deliveries hit by an error are taken again in a later turn; the rest are sent.
    func startDue() async -> Result<Bool, StoreError> {
        // A carrier refuses a token that was signed with a wrong time, and Apple takes no other for twenty minutes.
        guard clock.isSettled else { return .success(false) }
        // Another process may send by now.
        guard store.mayAct else { return .success(false) }
        // In every turn, and not only after an answer: a delivery that is given back may expire without an answer.
        giveBack(deliveries.releaseHeldBack())
        var failure = await readAhead(of: CarrierName.allCases.filter { room(for: $0) > 0 })
        var hasStarted = false
        for carrier in CarrierName.allCases {
            let room = room(for: carrier)
            guard room > 0 else { continue }
            let now = clock.now()
            let request = deliveries.request(carrier, room: room)
            let keys = cursor.take(request, now: now) { deliveries.take($0) }
            failure = await start(keys, of: carrier, now: now) ?? failure
            hasStarted = hasStarted || !keys.isEmpty
        }
        return failure.map { .failure($0) } ?? .success(hasStarted)
    }

    /// Has the cursor read what it must know of these carriers; returns the first error.
    func readAhead(of carriers: [CarrierName]) async -> StoreError? {
        let now = clock.now()
        guard cursor.mustRead(carriers, now: now) else { return nil }
        let (known, failure) = await store.outbox.read(ahead: cursor, of: carriers, now: now)
        cursor = known
        return failure
    }

    /// Returns the last error, if there was one.
    private func start(_ keys: [ScheduleKey], of carrier: CarrierName, now: UInt64) async -> StoreError? {
        guard !keys.isEmpty else { return nil }
        // Before their rows are read, so that nothing is sent to a device that was unregistered before.
        for key in keys { inFlight.begin(key.device) }
        var failure: StoreError?
        do throws(StoreError) {
            let rows = try await store.outbox.dueDeliveries(keys)
            // In parts, so that the first leave while the next are encoded.
            for first in stride(from: 0, to: keys.count, by: Dispatcher.pushesAtOnce) {
                let part = first..<min(first + Dispatcher.pushesAtOnce, keys.count)
                lines[carrier].carrier.together {
                    for (key, due) in zip(keys[part], rows[part]) {
                        do throws(StoreError) {
                            start(key, try due.get(), now: now)
                        } catch {
                            leave(key, isDue: true)
                            failure = error
                        }
                    }
                }
            }
        } catch {
            for key in keys { leave(key, isDue: true) }
            failure = error
        }
        return failure
    }

    /// Drops a taken delivery that is not sent.
    ///
    /// If it is due, it waits again.
    private func leave(_ key: ScheduleKey, isDue: Bool) {
        inFlight.end(key.device)
        giveBack(deliveries.leave(key, isDue: isDue))
    }

    /// Sends a delivery, or decides without sending.
    ///
    /// `due` is nil if it was removed with its device.
    private func start(_ key: ScheduleKey, _ due: DueDelivery?, now: UInt64) {
        guard let due else { return leave(key, isDue: false) }
        let (device, payload): (DeviceTarget, OperationPayload)
        switch due.sendable(now: now) {
        case .success(let parts): (device, payload) = parts
        case .failure(let reason):
            inFlight.end(key.device)
            return deliveries.answer(FinishedAttempt(key, due.delivery, Disposition(unsent: reason.decision)))
        }
        let carrier = lines[key.carrier].carrier
        let destination = carrier.destination(of: device)
        guard deliveries.begin(key, to: destination) else { return inFlight.end(key.device) }
        let push = OutgoingPush(
            delivery: due.delivery, device: device, payload: payload, network: configuration.network,
            expiration: clock.present(at: due.delivery.expiresAt) / 1000, isOnProbation: !due.isAccepted)
        send(push, by: carrier, key, isElsewhere: destination != nil, now: now)
    }

    /// Sends a push, in a span that links to the step in which its transaction was accepted.
    private func send(
        _ push: OutgoingPush, by carrier: any Carrier, _ key: ScheduleKey, isElsewhere: Bool, now: UInt64
    ) {
        let delivery = push.delivery
        if delivery.attempts == 0 {
            instruments.reachedWire(millisecondsAfterQueueing: now &- min(now, delivery.queuedAt))
        }
        let started = ContinuousClock.now
        let sentAt = clock.present()
        let span = beginSpan(SpanName.delivery, kind: .producer)
        span?.follows(origins.origin(of: delivery.transactionID))
        span?.describe(delivery, now: now)
        let ended = { @Sendable [answers, inFlight, wakeSignal] (outcome: SendOutcome) in
            span?.end(with: outcome)
            inFlight.end(key.device)
            let answer = AnswerQueue.Answer(
                key: key, delivery: delivery, isFromElsewhere: isElsewhere, isOnProbation: push.isOnProbation,
                outcome: outcome, sentAt: sentAt, time: ContinuousClock.now - started)
            if answers.add(answer) { wakeSignal.signal() }
        }
        if let span {
            span.around { carrier.send(push, ended: ended) }
        } else {
            carrier.send(push, ended: ended)
        }
    }
}

extension DueDelivery {
    /// The target and payload to send, or why nothing is sent.
    fileprivate func sendable(now: UInt64) -> Result<(DeviceTarget, OperationPayload), Unsendable> {
        switch PushPolicy.deliveries.decide(Due(self, now: now)) {
        case .sent(let device, let payload): .success((device, payload))
        case .suppressed(let reason): .failure(Unsendable(.suppressed(reason)))
        case .expired: .failure(Unsendable(.expired))
        }
    }
}

/// Why a due delivery is not sent.
private struct Unsendable: Error {
    let decision: Disposition.DeliveryDecision

    init(_ decision: Disposition.DeliveryDecision) { self.decision = decision }
}
