import Foundation
import Metrics
import Testing

@testable import API

@Suite("The two renderings of the metrics")
struct ExpositionTests {
    private static func filledRegistry() -> PrometheusRegistry {
        let registry = PrometheusRegistry(catalogue: [
            MetricDefinition("kasia_b_total", .counter, "With a \\ and\na new line."),
            MetricDefinition("kasia_a_total", .counter, "By kind.", labels: ["kind"]),
            MetricDefinition("kasia_seconds", .histogram, "Seconds.", buckets: [0.1, 1]),
            MetricDefinition("kasia_lag", .gauge, "Lag."),
        ])
        Counter(label: "kasia_a_total", dimensions: [("kind", "payment")], factory: registry).increment(by: 2)
        Counter(label: "kasia_a_total", dimensions: [("kind", "handshake")], factory: registry).increment()
        Timer(label: "kasia_seconds", factory: registry).recordMilliseconds(500)
        Gauge(label: "other_gauge", dimensions: [("a", "\"\n")], factory: registry).record(Double.nan)
        return registry
    }

    @Test("the text format is exact: sorted, with HELP and TYPE of the catalogue, and no HELP outside it")
    func text() {
        #expect(
            Self.filledRegistry().renderPrometheus() == #"""
                # HELP kasia_a_total By kind.
                # TYPE kasia_a_total counter
                kasia_a_total{kind="handshake"} 1
                kasia_a_total{kind="payment"} 2
                # HELP kasia_b_total With a \\ and\na new line.
                # TYPE kasia_b_total counter
                kasia_b_total 0
                # HELP kasia_lag Lag.
                # TYPE kasia_lag gauge
                # HELP kasia_metrics_refused_total Instruments folded into "other" or left out because a metric has too many series or another kind.
                # TYPE kasia_metrics_refused_total counter
                kasia_metrics_refused_total 0
                # HELP kasia_seconds Seconds.
                # TYPE kasia_seconds histogram
                kasia_seconds_bucket{le="0.1"} 0
                kasia_seconds_bucket{le="1"} 1
                kasia_seconds_bucket{le="+Inf"} 1
                kasia_seconds_sum 0.5
                kasia_seconds_count 1
                # TYPE other_gauge gauge
                other_gauge{a="\"\n"} NaN

                """#)
    }

    @Test("the JSON snapshot is exact: names without kasia_, numbers, arrays with labels, histograms")
    func json() {
        #expect(
            Self.filledRegistry().renderJSON()
                == #"{"a_total":[{"labels":{"kind":"handshake"},"value":1},{"labels":{"kind":"payment"},"value":2}],"#
                + #""b_total":0,"lag":[],"metrics_refused_total":0,"#
                + #""seconds":{"count":1,"sum":0.5,"buckets":{"0.1":0,"1":1,"+Inf":1}},"#
                + #""other_gauge":[{"labels":{"a":"\"\n"},"value":null}]}"#)
    }

    @Test("the JSON snapshot of the whole catalogue parses and names every metric")
    func catalogue() throws {
        let registry = PrometheusRegistry()
        Timer(label: "kasia_http_request_seconds", dimensions: [("route", "/ready")], factory: registry).recordSeconds(
            1)
        let object = try JSONSerialization.jsonObject(with: Data(registry.renderJSON().utf8))
        let members = try #require(object as? [String: Any])
        let names = MetricsCatalogue.definitions.map { definition in
            definition.name.hasPrefix("kasia_") ? String(definition.name.dropFirst(6)) : definition.name
        }
        #expect(Set(members.keys) == Set(names))
        #expect(members["blocks_total"] as? Int == 0)
        let entry = try #require((members["http_request_seconds"] as? [[String: Any]])?.first)
        #expect(entry["labels"] as? [String: String] == ["route": "/ready"])
        #expect(entry["count"] as? Int == 1)
    }

    @Test("a foreign metric with the short name of one of ours leaves ours its full name")
    func nameCollision() throws {
        let registry = PrometheusRegistry(catalogue: [MetricDefinition("kasia_x", .counter, "X.")])
        Counter(label: "x", factory: registry).increment(by: 9)
        let object = try JSONSerialization.jsonObject(with: Data(registry.renderJSON().utf8)) as? [String: Int]
        #expect(object == ["x": 9, "kasia_x": 0, "metrics_refused_total": 0])
    }

    @Test("each counter of the catalogue without labels is there with 0 before anything happened")
    func zeroes() {
        let lines = Set(PrometheusRegistry().renderPrometheus().split(separator: "\n").map(String.init))
        for definition in MetricsCatalogue.definitions {
            #expect(lines.contains("# TYPE \(definition.name) \(definition.kind.rawValue)"))
            #expect(
                lines.contains("\(definition.name) 0") == (definition.kind == .counter && definition.labels.isEmpty))
        }
    }
}
