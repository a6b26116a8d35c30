import HTTPTypes
package import Hummingbird
package import Logging
package import Store
import Synchronization

/// Builds the REST server of a process that stands by while another one works.
///
/// It answers `OperationsRoutes.calls`, and reads of the history once `reads` has the store. All else is 503, so that a
/// proxy in front asks the process that works. Its time limits are short, since taking over waits for what is on its
/// way. `onListening` gets the port. Throws if TLS cannot be set up.
package func buildStandbyAPI(
    configuration: APIConfiguration, metrics: PrometheusRegistry, reads: StandbyReads,
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
    router.middlewares.add(StandbyMiddleware(reads: reads))
    OperationsRoutes(readiness: readiness, metrics: metrics).add(to: router)
    return try server.application(router, onListening: onListening)
}

/// The reads of the history that a process answers while it stands by, the live stream among them.
package final class StandbyReads: Sendable {
    private struct Reader {
        let responder: any HTTPResponder<APIRequestContext>
        let publisher: ActivityPublisher
    }

    private let configuration: APIConfiguration
    private let logger: Logger
    private let reader = Mutex<Reader?>(nil)

    /// Without a store so far.
    package init(configuration: APIConfiguration, logger: Logger) {
        var configuration = configuration
        configuration.streamWriteTimeout = StandbyMiddleware.timeLimit
        self.configuration = configuration
        self.logger = logger
    }

    /// Reads from this store from now on, which is open to read; nil: from none, and streams end.
    package func read(from store: Store?) async {
        let new = store.map { makeReader($0) }
        let old = reader.withLock { reader in
            defer { reader = new }
            return reader
        }
        await old?.publisher.closeAll()
    }

    /// Sends what the process that works has written meanwhile to the open streams; without any, it reads nothing.
    package func publish() async { await reader.withLock { $0 }?.publisher.deliver() }

    private func makeReader(_ store: Store) -> Reader {
        let router = Router(context: APIRequestContext.self, options: .autoGenerateHeadEndpoints)
        let publisher = HistoryRoutes(
            store: store, configuration: configuration, reads: Reads(configuration, now: { .now }), logger: logger
        ).add(to: router)
        return Reader(responder: router.buildResponder(), publisher: publisher)
    }

    /// The answer to one of `APIRoutes.reads`; nil without a store.
    fileprivate func response(to request: Request, _ context: APIRequestContext) async throws -> Response? {
        try await reader.withLock { $0 }?.responder.respond(to: request, context: context)
    }
}

/// Refuses every call but `OperationsRoutes.calls` and what is read of the history: 503.
struct StandbyMiddleware: RouterMiddleware {
    typealias Context = APIRequestContext

    /// The time limit of a request's headers, of its body, and of a client that reads nothing.
    static let timeLimit = Duration.seconds(2)
    /// When a client may ask again, seconds: a proxy finds the process that works.
    private static let pauseSeconds = 1

    let reads: StandbyReads

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let call = APIRoutes.call(at: request.uri.path) ?? ""
        if OperationsRoutes.calls.contains(call) { return try await next(request, context) }
        if APIRoutes.reads.contains(call), let response = try await reads.response(to: request, context) {
            return response
        }
        throw APIError(
            status: .serviceUnavailable, message: "this process stands by while another one works: try again",
            headers: [.retryAfter: "\(StandbyMiddleware.pauseSeconds)"])
    }
}
