import APNs
import Kaspa
import Spans
import Store
import Tracing

extension Span {
    /// Tells of an attempt at a delivery; `now` is in milliseconds since 1970.
    func describe(_ delivery: Delivery, now: UInt64) {
        describe {
            $0[.transaction] = delivery.transactionID.description
            $0[.pushKind] = delivery.kind.description
            $0[.attempt] = Int(clamping: delivery.attempts) + 1
            $0[.waited] = Int(clamping: now &- min(now, delivery.queuedAt))
        }
    }

    /// Tells what became of the attempt, and ends with it.
    func end(with outcome: SendOutcome) {
        describe { $0[.outcome] = outcome.label }
        if !outcome.isDelivered { failed(outcome.reasonLabel) }
        end()
    }
}

extension Span {
    /// Tells what one step of an event led to, for how many devices and never which.
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
