import Hummingbird
import Metrics

/// Counts requests and measures their time, by route template and never by raw path.
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
                ("route", route), ("method", request.knownMethod ?? "other"), ("status", "\(response.status.code)"),
            ]
        ).increment()
        return response
    }
}
