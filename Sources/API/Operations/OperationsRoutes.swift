import HTTPTypes
import Hummingbird

/// `/health`, `/ready`, `/metrics`, `/metrics/prometheus`.
struct OperationsRoutes: Sendable {
    /// Their paths.
    static let calls: Set<String> = ["/health", "/ready", "/metrics", "/metrics/prometheus"]

    let readiness: @Sendable () async -> Readiness
    let metrics: PrometheusRegistry

    func add(to router: Router<APIRequestContext>) {
        router.get("health") { _, _ in
            JSONAnswer.response(.ok, .object([("status", .string("ok"))]))
        }
        router.get("ready") { _, _ in
            let readiness = await readiness()
            return JSONAnswer.response(readiness.isReady ? .ok : .serviceUnavailable, readiness.answer)
        }
        router.get("metrics") { _, _ in JSONAnswer.response(.ok, text: metrics.renderJSON()) }
        router.get("metrics/prometheus") { _, _ in
            JSONAnswer.response(
                .ok, text: metrics.renderPrometheus(), contentType: PrometheusRegistry.prometheusContentType)
        }
    }
}
