public import Foundation

extension IndexerClient {
    /// Asks whether the service runs.
    public func health() async throws(IndexerError) {
        try await confirmation(of: Call(path: "/health"))
    }

    /// Asks which parts of the service do their work.
    ///
    /// A service that is not ready answers with status 503, which is no error here.
    public func ready() async throws(IndexerError) -> Readiness {
        try await value(Call(path: "/ready"), accepting: [200, 503])
    }

    /// How the whole service is.
    public func serviceStatus() async throws(IndexerError) -> ServiceStatus {
        try await value(Call(path: "/status.json"))
    }

    /// How the whole service is, each second; the service lets few such streams be open.
    public func serviceStatusStream() async throws(IndexerError) -> EventStream<ServiceStatusEvent> {
        try await events(Call(path: "/status/stream"), read: ServiceStatusEvent.init)
    }

    /// The service's metrics by name.
    public func metrics() async throws(IndexerError) -> [String: Metric] {
        try await value(Call(path: "/metrics"))
    }

    /// The service's metrics in the text format of Prometheus.
    public func prometheusMetrics() async throws(IndexerError) -> String {
        try await text(Call(path: "/metrics/prometheus"), accept: "text/plain")
    }

    /// The document that describes the service's calls, as JSON.
    public func openAPIDocument() async throws(IndexerError) -> Data {
        try await answer(Call(path: "/openapi.json"), accept: "application/json").body
    }

    /// The status page, as HTML.
    public func statusPage() async throws(IndexerError) -> String { try await page("/") }

    /// The page that lets people try each call, as HTML.
    public func documentationPage() async throws(IndexerError) -> String { try await page("/docs") }

    /// The operator guide, as HTML.
    public func guidePage() async throws(IndexerError) -> String { try await page("/guide") }

    private func page(_ path: String) async throws(IndexerError) -> String {
        try await text(Call(path: path), accept: "text/html")
    }
}
