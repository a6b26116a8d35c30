import Metrics
package import Store

/// The two counters of pushes and how they end.
///
/// The indexer counts those that end before a delivery is made, the dispatcher all others.
package struct PushCounters: Sendable {
    /// How a push ended, or `retried`.
    package enum Outcome: String, Sendable { case delivered, dead, expired, suppressed, withdrawn, retried }

    /// Counts nothing by itself.
    package init() {}

    /// Events of a kind that were queued.
    package func event(_ kind: PushKind, count: Int) {
        guard count > 0 else { return }
        Counter(label: "kasia_push_events_total", dimensions: [("kind", kind.description)]).increment(by: count)
    }

    /// Deliveries that ended with this outcome; `reason` is one of a bounded set, `carrier` nil where it is not known.
    package func delivery(_ outcome: Outcome, reason: String, carrier: CarrierName? = nil, count: Int = 1) {
        guard count > 0 else { return }
        Counter(
            label: "kasia_push_deliveries_total",
            dimensions: [("outcome", outcome.rawValue), ("reason", reason), ("carrier", carrier?.label ?? "none")]
        ).increment(by: count)
    }
}
