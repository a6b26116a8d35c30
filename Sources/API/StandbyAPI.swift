import HTTPTypes
package import Hummingbird
package import Logging

/// Builds the REST server of a process that stands by while another one works.
///
/// It answers `OperationsRoutes.calls`. All else is 503, so that a proxy in front asks the process that works. Its time
/// limits are short, since taking over waits for what is on its way. `onListening` gets the port. Throws if TLS cannot
/// be set up.
package func buildStandbyAPI(
    configuration: APIConfiguration, metrics: PrometheusRegistry,
    readiness: @escaping @Sendable () async -> Readiness, logger: Logger,
    onListening: @escaping @Sendable (Int) async -> Void = { _ in }
) throws -> some ApplicationProtocol {
    var configuration = configuration
    configuration.headTimeout = StandbyMiddleware.timeLimit
    configuration.bodyTimeout = StandbyMiddleware.timeLimit
    configuration.streamWriteTimeout = StandbyMiddleware.timeLimit
    let server = APIServer(
        configuration: configuration, admission: ConnectionAdmission(maximum: configuration.maximumConnections),
        logger: logger)
    let router = server.makeRouter()
    router.middlewares.add(StandbyMiddleware())
    OperationsRoutes(readiness: readiness, metrics: metrics).add(to: router)
    return try server.application(router, onListening: onListening)
}

/// Refuses every call but `OperationsRoutes.calls`: 503.
struct StandbyMiddleware: RouterMiddleware {
    typealias Context = APIRequestContext

    /// The time limit of a request's headers, of its body, and of a client that reads nothing.
    static let timeLimit = Duration.seconds(2)
    /// When a client may ask again, seconds: a proxy finds the process that works.
    private static let pauseSeconds = 1

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let call = APIRoutes.call(at: request.uri.path), OperationsRoutes.calls.contains(call) else {
            throw APIError(
                status: .serviceUnavailable, message: "this process stands by while another one works: try again",
                headers: [.retryAfter: "\(StandbyMiddleware.pauseSeconds)"])
        }
        return try await next(request, context)
    }
}
