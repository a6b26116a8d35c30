import Hummingbird
import Metrics

/// Counts requests and their time by route template, never by raw path.
struct RequestMetricsMiddleware: RouterMiddleware {
    typealias Context = APIRequestContext

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let started = ContinuousClock.now
        let response = try await next(request, context)
        let route = context.endpointPath ?? "none"
        Metrics.Timer(label: "kasia_http_request_seconds", dimensions: [("route", route)])
            .recordNanoseconds(Int64(((ContinuousClock.now - started) / .nanoseconds(1)).rounded()))
        Counter(
            label: "kasia_http_requests_total",
            dimensions: [
                ("route", route), ("method", knownMethod(request)), ("status", "\(response.status.code)"),
            ]
        ).increment()
        return response
    }

    /// A method is the client's text: only the usual ones become labels.
    private func knownMethod(_ request: Request) -> String {
        let method = request.method.rawValue
        return ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"].contains(method) ? method : "other"
    }
}
