import Metrics
import Policy

/// The indexer's metrics.
struct IndexerInstruments: Sendable {
    /// Pushes that end before a delivery is made.
    let pushes = PushCounters()
    let blocks = Counter(label: "kasia_blocks_total")
    let scannedTransactions = Counter(label: "kasia_transactions_scanned_total")
    let acceptedTransactions = Counter(label: "kasia_transactions_accepted_total")
    let revertedTransactions = Counter(label: "kasia_transactions_reverted_total")
    let reorganizations = Counter(label: "kasia_reorganizations_total")
    let reorganizationDepth = Recorder(label: "kasia_reorganization_depth", aggregate: true)
    let lagSeconds = Gauge(label: "kasia_node_lag_seconds")
    let virtualChainDAAScore = Gauge(label: "kasia_virtual_chain_daa_score")
    let gaps = Gauge(label: "kasia_gaps")
    /// The old name of the gauge, kept for one version: only counters should end in `_total`.
    let gapsUnderOldName = Gauge(label: "kasia_gaps_total")

    /// `kind` is an `OperationKind`, or a word for a payload with our root that is no operation.
    func operation(kind: String, count: Int) {
        guard count > 0 else { return }
        Counter(label: "kasia_operations_total", dimensions: [("kind", kind)]).increment(by: count)
    }

    func revertedPush(kind: String, count: Int) {
        Counter(label: "kasia_push_reverted_total", dimensions: [("kind", kind)]).increment(by: count)
    }
}
