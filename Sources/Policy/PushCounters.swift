import Metrics
package import Store

/// The two counters of what becomes of pushes: the chain's side counts what ends before a delivery is made, the
/// dispatcher all else (http-api.md, "Metric names").
package struct PushCounters: Sendable {
    /// How a push ended, or that it is tried again.
    package enum Outcome: String, Sendable { case delivered, dead, expired, suppressed, withdrawn, retried }

    /// Counts nothing by itself.
    package init() {}

    /// Events of a kind that were queued.
    package func event(_ kind: PushKind, count: Int) {
        guard count > 0 else { return }
        Counter(label: "kasia_push_events_total", dimensions: [("kind", kind.description)]).increment(by: count)
    }

    /// Deliveries that ended so; `reason` is one of a bounded set.
    package func delivery(_ outcome: Outcome, reason: String, count: Int = 1) {
        guard count > 0 else { return }
        Counter(
            label: "kasia_push_deliveries_total", dimensions: [("outcome", outcome.rawValue), ("reason", reason)]
        ).increment(by: count)
    }
}
