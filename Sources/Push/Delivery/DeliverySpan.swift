import Carriers
import Kaspa
import Spans
import Store
import Tracing

extension Span {
    /// Records an attempt at a delivery at `now`, milliseconds since 1970.
    func describe(_ delivery: Delivery, now: UInt64) {
        describe {
            $0[.transaction] = delivery.transactionID.description
            $0[.pushKind] = delivery.kind.description
            $0[.attempt] = Int(clamping: delivery.attempts) + 1
            $0[.waited] = Int(clamping: now &- min(now, delivery.queuedAt))
        }
    }

    /// Records the outcome of the attempt, and ends the span.
    func end(with outcome: SendOutcome) {
        describe { $0[.outcome] = outcome.label }
        if !outcome.isDelivered { failed(outcome.reason) }
        end()
    }
}

extension Span {
    /// Records the result of one step of an event: numbers of devices, never which ones.
    func describe(_ event: PushEvent, _ step: FanOutStep) {
        describe {
            $0[.transaction] = event.transactionID.description
            $0[.pushKind] = event.kind.description
            $0[.deliveries] = step.notified
            $0[.suppressed] = step.suppressed.values.reduce(0, +)
            $0[.isFinished] = step.finished
        }
    }
}
