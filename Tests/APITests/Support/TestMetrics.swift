import Metrics

@testable import API

/// The metrics of this test process: swift-metrics takes one backend for good.
enum TestMetrics {
    static let registry: PrometheusRegistry = {
        let registry = PrometheusRegistry()
        MetricsSystem.bootstrap(registry)
        return registry
    }()
}
