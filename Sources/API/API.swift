import HTTPTypes
package import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Listeners
package import Logging
import NIOCore
package import Push
import Spans

/// Builds the REST server; main and tests build it the same way.
///
/// `status` is what `/` shows; `wallClock` is the time that signatures are held against, milliseconds since 1970; `now`
/// is the rate limit's clock; `onListening` is told the port, which a configuration of 0 leaves to the system. Throws if
/// TLS cannot be set up.
package func buildAPI(
    configuration: APIConfiguration, registry: DeviceRegistry, metrics: PrometheusRegistry,
    readiness: @escaping @Sendable () async -> Readiness, status: StatusBoard,
    wallClock: @escaping @Sendable () -> UInt64,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, logger: Logger,
    onListening: @escaping @Sendable (Int) async -> Void = { _ in }
) throws -> some ApplicationProtocol {
    try buildAPI(
        configuration: configuration, registry: registry, metrics: metrics, readiness: readiness, status: status,
        nonces: NonceStore(now: wallClock), admission: ConnectionAdmission(maximum: configuration.maximumConnections),
        wallClock: wallClock, now: now, logger: logger, onListening: onListening)
}

/// The same with the outstanding challenges and the connections in the caller's hand.
func buildAPI(
    configuration: APIConfiguration, registry: DeviceRegistry, metrics: PrometheusRegistry,
    readiness: @escaping @Sendable () async -> Readiness, status: StatusBoard, nonces: NonceStore,
    admission: ConnectionAdmission, wallClock: @escaping @Sendable () -> UInt64,
    now: @escaping @Sendable () -> ContinuousClock.Instant, logger: Logger,
    onListening: @escaping @Sendable (Int) async -> Void
) throws -> some ApplicationProtocol {
    let router = Router(context: APIRequestContext.self, options: .autoGenerateHeadEndpoints)
    router.middlewares.add(RequestIDMiddleware())
    router.middlewares.add(
        RequestSpanMiddleware(
            server: ServerAddress(host: configuration.host, port: configuration.port == 0 ? nil : configuration.port),
            scheme: configuration.tls == nil ? "http" : "https"))
    router.middlewares.add(RequestMetricsMiddleware())
    router.middlewares.add(OpenReadingMiddleware())
    router.middlewares.add(ErrorMiddleware(methods: APIRoutes.methods))
    router.middlewares.add(RequestSizeMiddleware())
    OperationsRoutes(readiness: readiness, metrics: metrics).add(to: router)
    PageRoutes().add(to: router)
    let statusStreams = EventStreams(slots: EventStreams.Slots(maximum: APILimits.statusStreams))
    StatusRoutes(board: status, streams: statusStreams).add(to: router)
    MessageRoutes(store: registry.store, network: configuration.network).add(to: router)
    let answer = ActivityAnswer(explorerURL: configuration.explorerURL)
    let hub = ActivityHub(store: registry.store, answer: answer, logger: logger)
    let streams = EventStreams(
        slots: .init(maximum: configuration.maximumStreams), heartbeat: configuration.heartbeat,
        patience: configuration.streamPatience)
    ActivityRoutes(
        store: registry.store, network: configuration.network, hub: hub, streams: streams, answer: answer
    ).add(to: router)
    func limiter() -> RateLimiter {
        RateLimiter(perMinute: configuration.rateLimitPerMinute, trustedProxies: configuration.trustedProxies, now: now)
    }
    let door = RegistrationDoor(
        configuration: configuration, limiter: limiter(),
        authenticator: Authenticator(network: configuration.network, nonces: nonces, now: wallClock),
        unsigned: UnsignedRequests(now: now))
    let routes = router.group("v1/push")
    ChallengeRoutes(nonces: nonces, limiter: limiter()).add(to: routes)
    RegistrationRoutes(registry: registry, door: door).add(to: routes)
    WalletRoutes(registry: registry, door: door).add(to: routes)
    return Application(
        router: router, server: try makeServer(configuration, admission),
        configuration: ApplicationConfiguration(
            address: .hostname(configuration.host, port: configuration.port), serverName: "kasia-push-indexer",
            availableConnectionsDelegate: .maximum(
                configuration.maximumConnections + APILimits.waitingConnections, logger: logger)),
        services: [hub],
        onServerRunning: { channel in
            do {
                try await ListenerGate.install(in: channel).get()
            } catch {
                logger.debug("http.closed_at_start", metadata: ["error.message": "\(error)"])
            }
            await onListening(channel.localAddress?.port ?? configuration.port)
        },
        logger: logger)
}

/// HTTP/1.1 within limits, over TLS if that is configured.
private func makeServer(
    _ configuration: APIConfiguration, _ admission: ConnectionAdmission
) throws -> HTTPServerBuilder {
    let (bodyTimeout, patience) = (configuration.bodyTimeout, configuration.streamPatience)
    let plain = HTTPServerBuilder.http1(
        configuration: HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                AdmissionHandler(admission), ConnectionGuard(bodyTimeout: bodyTimeout, patience: patience),
            ],
            idleTimeout: TimeAmount(configuration.idleTimeout),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: APILimits.parserBytes, maxHeaderListSize: APILimits.parserBytes,
                maxHeaderFieldCount: APILimits.headerCount)))
    guard let tls = configuration.tls else { return plain }
    return try .tls(plain, tlsConfiguration: tls.serverConfiguration)
}

/// The calls of this server, for 405 answers and for the test that holds /openapi.json against them.
///
/// Whatever takes GET takes HEAD.
enum APIRoutes {
    static let methods: [String: [HTTPRequest.Method]] = [
        "/": [.get, .head], "/status.json": [.get, .head], "/status/stream": [.get, .head], "/docs": [.get, .head],
        "/health": [.get, .head], "/ready": [.get, .head], "/metrics": [.get, .head],
        "/metrics/prometheus": [.get, .head], "/openapi.json": [.get, .head],
        "/v1/push/register": [.post], "/v1/push/update": [.put, .post], "/v1/push/unregister": [.delete, .post],
        "/v1/push/status": [.get, .head, .post], "/v1/push/challenge": [.get, .head, .post],
        "/v1/push/wallet": [.delete], "/v1/push/devices": [.post],
        "/handshakes/by-sender": [.get, .head], "/handshakes/by-receiver": [.get, .head],
        "/payments/by-sender": [.get, .head], "/payments/by-receiver": [.get, .head],
        "/contextual-messages/by-sender": [.get, .head], "/self-stash/by-owner": [.get, .head],
        "/group-messages/by-blinded-group-id": [.get, .head], "/group-control/by-sender": [.get, .head],
        "/group-control/by-recipient": [.get, .head], "/broadcasts/by-channel": [.get, .head],
        "/v1/messages/{tx_id}": [.get, .head],
        "/v1/activity": [.get, .head], "/v1/activity/stream": [.get, .head], "/v1/activity/refresh": [.post],
        "/v1/push/missed": [.get, .head, .post],
    ]
}
