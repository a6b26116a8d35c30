import Testing

@testable import API

@Suite("MetricsCatalogue")
struct MetricsCatalogueTests {
    /// The metrics that operators rely on, written out again so that a change of the catalogue shows.
    static let promised: [(name: String, kind: MetricKind, labels: [String])] = [
        ("kasia_blocks_total", .counter, []),
        ("kasia_transactions_scanned_total", .counter, []),
        ("kasia_operations_total", .counter, ["kind"]),
        ("kasia_transactions_accepted_total", .counter, []),
        ("kasia_transactions_reverted_total", .counter, []),
        ("kasia_reorganizations_total", .counter, []),
        ("kasia_reorganization_depth", .histogram, []),
        ("kasia_node_connected", .gauge, ["url"]),
        ("kasia_node_lag_seconds", .gauge, []),
        ("kasia_clock_ahead_seconds", .gauge, []),
        ("kasia_virtual_chain_daa_score", .gauge, []),
        ("kasia_gaps", .gauge, []),
        ("kasia_gaps_total", .gauge, []),
        ("kasia_push_events_total", .counter, ["kind"]),
        ("kasia_push_deliveries_total", .counter, ["outcome", "reason", "carrier"]),
        ("kasia_push_reverted_total", .counter, ["kind"]),
        ("kasia_push_queue_depth", .gauge, ["state"]),
        ("kasia_push_paused", .gauge, ["carrier"]),
        ("kasia_push_books", .gauge, ["book", "state"]),
        ("kasia_push_books_by_reason", .gauge, ["state", "reason"]),
        ("kasia_push_rings_total", .counter, ["outcome"]),
        ("kasia_push_dead_letters", .gauge, []),
        ("kasia_push_queue_oldest_seconds", .gauge, []),
        ("kasia_push_send_seconds", .histogram, ["carrier"]),
        ("kasia_push_chain_to_wire_seconds", .histogram, []),
        ("kasia_devices", .gauge, []),
        ("kasia_watch_entries", .gauge, []),
        ("kasia_registrations_total", .counter, ["call", "result"]),
        ("kasia_devices_removed_total", .counter, ["reason"]),
        ("kasia_http_requests_total", .counter, ["route", "method", "status"]),
        ("kasia_http_request_seconds", .histogram, ["route"]),
        ("kasia_http_connections_closed_total", .counter, ["reason"]),
        ("kasia_store_bytes", .gauge, ["column_family"]),
    ]

    @Test("holds each promised metric with its kind and labels", arguments: promised)
    func holds(name: String, kind: MetricKind, labels: [String]) throws {
        let definition = try #require(MetricsCatalogue.definitions.first { $0.name == name })
        #expect(definition.kind == kind)
        #expect(definition.labels == labels)
        #expect(!definition.help.isEmpty)
        #expect(definition.bucketBounds.isEmpty == (kind != .histogram))
    }

    @Test("holds nothing else than the promised metrics and the registry's own")
    func holdsNothingElse() {
        let own =
            MetricsCatalogue.machine.map(\.name) + MetricsCatalogue.reads.map(\.name)
            + [MetricsCatalogue.unsignedRegistrations.name, MetricsCatalogue.refusedInstruments.name]
        #expect(MetricsCatalogue.definitions.map(\.name) == Self.promised.map(\.name) + own)
    }

    @Test("counters end in _total and nothing else does, but for what is called an old name")
    func totals() {
        for metric in MetricsCatalogue.definitions where !metric.help.hasPrefix("Old name of ") {
            #expect(metric.name.hasSuffix("_total") == (metric.kind == .counter), "\(metric.name)")
        }
        let old = MetricsCatalogue.definitions.filter { $0.help.hasPrefix("Old name of ") }
        #expect(old.map(\.name) == ["kasia_gaps_total"])
    }

    @Test("chain to wire keeps the bounds that queries know, and tells times apart where pushes usually are")
    func chainToWire() throws {
        let name = "kasia_push_chain_to_wire_seconds"
        let bounds = try #require(MetricsCatalogue.definitions.first { $0.name == name }).bucketBounds
        #expect(Set(bounds).isSuperset(of: [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 30, 60, 300, 1_800, 3_600]))
        #expect(bounds.first == 0.001)
        for time in stride(from: 0.1, through: 10, by: 0.01) {
            var counts = [UInt64](repeating: 0, count: bounds.count + 1)
            counts[bounds.firstIndex { time <= $0 } ?? bounds.count] = 1
            let shown = try #require(BucketCounts(bounds: bounds, counts: counts).quantile(0.5))
            #expect(abs(shown - time) <= time * 0.15, "\(time) is shown as \(shown)")
        }
    }

    @Test("bounds are put in order, once each, without those that are not finite")
    func bounds() {
        let definition = MetricDefinition("a", .histogram, "b", buckets: [5, .infinity, 1, 5, .nan, -2])
        #expect(definition.bucketBounds == [-2, 1, 5])
    }
}
