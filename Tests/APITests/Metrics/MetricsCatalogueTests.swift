import Testing

@testable import API

@Suite("MetricsCatalogue")
struct MetricsCatalogueTests {
    /// http-api.md, "Metric names", written out again so that a slip in the catalogue shows.
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
        ("kasia_gaps_total", .gauge, []),
        ("kasia_push_events_total", .counter, ["kind"]),
        ("kasia_push_deliveries_total", .counter, ["outcome", "reason"]),
        ("kasia_push_reverted_total", .counter, ["kind"]),
        ("kasia_push_queue_depth", .gauge, ["state"]),
        ("kasia_push_books", .gauge, ["book", "state"]),
        ("kasia_push_books_by_reason", .gauge, ["state", "reason"]),
        ("kasia_push_rings_total", .counter, ["outcome"]),
        ("kasia_push_dead_letters", .gauge, []),
        ("kasia_push_queue_oldest_seconds", .gauge, []),
        ("kasia_push_send_seconds", .histogram, []),
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

    @Test("bounds are put in order, once each, without those that are not finite")
    func bounds() {
        let definition = MetricDefinition("a", .histogram, "b", buckets: [5, .infinity, 1, 5, .nan, -2])
        #expect(definition.bucketBounds == [-2, 1, 5])
    }
}
