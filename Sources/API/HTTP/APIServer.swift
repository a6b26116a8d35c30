import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Listeners
import Logging
import NIOCore
import ServiceLifecycle
import Spans

/// What every REST server of this program has: its middlewares, and HTTP/1.1 within limits, over TLS if that is
/// configured.
struct APIServer: Sendable {
    let configuration: APIConfiguration
    let admission: ConnectionAdmission
    let logger: Logger

    private var proxies: TrustedProxies { TrustedProxies(configuration.trustedProxies) }

    /// A router whose requests pass the middlewares in this order.
    func makeRouter() -> Router<APIRequestContext> {
        let router = Router(context: APIRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.middlewares.add(RequestIDMiddleware())
        router.middlewares.add(
            RequestSpanMiddleware(
                server: ServerAddress(
                    host: configuration.host, port: configuration.port == 0 ? nil : configuration.port),
                scheme: configuration.tls == nil ? "http" : "https"))
        router.middlewares.add(RequestMetricsMiddleware())
        router.middlewares.add(CORSMiddleware())
        router.middlewares.add(ErrorMiddleware())
        router.middlewares.add(RequestSizeMiddleware())
        router.middlewares.add(
            HostMiddleware(
                names: HostNames(boundTo: configuration.host, names: configuration.hostNames), proxies: proxies))
        router.middlewares.add(SameOriginMiddleware())
        router.middlewares.add(QueryParameterMiddleware())
        return router
    }

    /// Serves the router's calls; `services` run as long.
    ///
    /// `onListening` gets the port. Throws if TLS cannot be set up.
    func application(
        _ router: Router<APIRequestContext>, services: [any Service] = [],
        onListening: @escaping @Sendable (Int) async -> Void
    ) throws -> some ApplicationProtocol {
        Application(
            router: router, server: try makeServer(),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: "kasia-push-indexer",
                // Bounds the open descriptors: further connections stay in the system's queue. Which of those that are
                // accepted are served, `ConnectionAdmission` decides.
                availableConnectionsDelegate: .maximum(
                    configuration.maximumConnections + APILimits.waitingConnections, logger: logger)),
            services: services,
            onServerRunning: { [configuration, logger] channel in
                do {
                    try await ListenerDrainHandler.install(in: channel).get()
                } catch {
                    logger.debug("http.closed_at_start", metadata: ["error.message": "\(error)"])
                }
                await onListening(channel.localAddress?.port ?? configuration.port)
            },
            logger: logger)
    }

    private func makeServer() throws -> HTTPServerBuilder {
        let (bodyTimeout, writeTimeout) = (configuration.bodyTimeout, configuration.streamWriteTimeout)
        let (headTimeout, proxies, admission) = (configuration.headTimeout, proxies, admission)
        let plain = HTTPServerBuilder.http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [
                    AdmissionHandler(admission, proxies: proxies, headTimeout: headTimeout),
                    ConnectionTimeoutHandler(bodyTimeout: bodyTimeout, writeTimeout: writeTimeout),
                ],
                idleTimeout: TimeAmount(configuration.idleTimeout),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: APILimits.parserBytes, maxHeaderListSize: APILimits.parserBytes,
                    maxHeaderFieldCount: APILimits.headerCount)))
        guard let tls = configuration.tls else { return plain }
        return try .tls(plain, tlsConfiguration: tls.serverConfiguration)
    }
}
