package import Hummingbird
package import Logging
package import Push
import Store

/// Builds the REST server.
///
/// `main` and tests build it the same way. `ringer` is nil if pushes are not configured, and `status` is the data of
/// `/`. Signatures are checked against `present`, milliseconds since 1970; rate limits use `now`. `onListening` gets
/// the port, which the system chooses if the configured one is 0. Throws if TLS cannot be set up.
package func buildAPI(
    configuration: APIConfiguration, registry: DeviceRegistry, ringer: Ringer? = nil, metrics: PrometheusRegistry,
    readiness: @escaping @Sendable () async -> Readiness, status: StatusBoard,
    present: @escaping @Sendable () -> UInt64,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, logger: Logger,
    onListening: @escaping @Sendable (Int) async -> Void = { _ in }
) throws -> some ApplicationProtocol {
    try APIBuilder(
        configuration: configuration, registry: registry, ringer: ringer, metrics: metrics, readiness: readiness,
        status: status, nonces: Nonces(storage: registry.store.registry, now: present),
        admission: ConnectionAdmission(maximum: configuration.maximumConnections), present: present, now: now,
        logger: logger
    ).build(onListening: onListening)
}

/// The parts of the REST server.
///
/// Tests build it with parts of their own.
struct APIBuilder: Sendable {
    let configuration: APIConfiguration
    let registry: DeviceRegistry
    let ringer: Ringer?
    let metrics: PrometheusRegistry
    let readiness: @Sendable () async -> Readiness
    let status: StatusBoard
    let nonces: Nonces
    let admission: ConnectionAdmission
    let present: @Sendable () -> UInt64
    let now: @Sendable () -> ContinuousClock.Instant
    let logger: Logger

    private var proxies: TrustedProxies { TrustedProxies(configuration.trustedProxies) }

    func build(onListening: @escaping @Sendable (Int) async -> Void) throws -> some ApplicationProtocol {
        let server = APIServer(configuration: configuration, admission: admission, logger: logger)
        let router = server.makeRouter()
        addOperatorRoutes(to: router)
        let reads = Reads(configuration, now: now)
        let publisher = HistoryRoutes(
            store: registry.store, configuration: configuration, reads: reads, logger: logger
        ).add(to: router)
        addRegistrationRoutes(to: router.group("v1/push"), reads: reads)
        return try server.application(router, services: [publisher], onListening: onListening)
    }

    private func addOperatorRoutes(to router: Router<APIRequestContext>) {
        OperationsRoutes(readiness: readiness, metrics: metrics).add(to: router)
        let description = OpenAPIDocument.json(on: configuration.network)
        router.get("openapi.json") { _, _ in JSONAnswer.response(.ok, text: description) }
        PageRoutes().add(to: router)
        let statusStreams = EventStreams(
            slots: EventStreams.Slots(maximum: APILimits.statusStreams, perClient: APILimits.statusStreamsPerClient),
            proxies: proxies)
        StatusRoutes(board: status, streams: statusStreams).add(to: router)
    }

    private func addRegistrationRoutes(to routes: RouterGroup<APIRequestContext>, reads: Reads) {
        let authorizer = RegistrationAuthorizer(
            configuration: configuration, rateLimits: RegistrationRateLimits(configuration, now: now),
            authenticator: Authenticator(network: configuration.network, nonces: nonces, now: present),
            unsigned: UnsignedRequests(now: now))
        ChallengeRoutes(nonces: nonces, limiter: RegistrationRateLimits.attempts(configuration, now: now))
            .add(to: routes)
        RegistrationRoutes(registry: registry, authorizer: authorizer, reads: reads).add(to: routes)
        WalletRoutes(registry: registry, authorizer: authorizer).add(to: routes)
        PublicKeyRoutes(vapid: configuration.vapidPublicKey, signing: configuration.signingKey).add(to: routes)
        RingRoute(registry: registry, authorizer: authorizer, ringer: ringer, now: now).add(to: routes)
    }
}

extension Registry: NonceStorage {}
