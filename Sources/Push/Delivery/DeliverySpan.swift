import APNs
import Kaspa
import Spans
import Store
import Tracing

extension NotificationSender {
    /// Makes one attempt at a delivery, in a span that links to where its transaction was accepted.
    ///
    /// `now` is in milliseconds since 1970.
    func send(
        _ request: APNsRequest, for delivery: Delivery, from origins: SpanOrigins<TransactionID>, now: UInt64
    ) async -> SendOutcome {
        await traced(SpanName.delivery, kind: .producer) { span in
            span.follows(origins.origin(of: delivery.transactionID))
            span.describe {
                $0[.transaction] = delivery.transactionID.description
                $0[.pushKind] = delivery.kind.description
                $0[.attempt] = Int(clamping: delivery.attempts) + 1
                $0[.waited] = Int(clamping: now &- min(now, delivery.queuedAt))
            }
            let outcome = await send(request)
            span.describe { $0[.outcome] = outcome.label }
            if !outcome.isDelivered { span.failed(outcome.reasonLabel) }
            return outcome
        }
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
