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
/// `ringer` is nil while pushes are not configured; `status` is what `/` shows; `present` is the time that
/// signatures are held against, milliseconds since 1970; `now` is the rate limit's clock; `onListening` is told the port,
/// which a configuration of 0 leaves to the system. Throws if TLS cannot be set up.
package func buildAPI(
    configuration: APIConfiguration, registry: DeviceRegistry, ringer: Ringer? = nil, metrics: PrometheusRegistry,
    readiness: @escaping @Sendable () async -> Readiness, status: StatusBoard,
    present: @escaping @Sendable () -> UInt64,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, logger: Logger,
    onListening: @escaping @Sendable (Int) async -> Void = { _ in }
) throws -> some ApplicationProtocol {
    try buildAPI(
        configuration: configuration, registry: registry, ringer: ringer, metrics: metrics, readiness: readiness,
        status: status, nonces: Nonces(storage: registry.store, now: present),
        admission: ConnectionAdmission(maximum: configuration.maximumConnections),
        present: present, now: now, logger: logger, onListening: onListening)
}

/// The same with the challenges and the connections in the caller's hand.
func buildAPI(
    configuration: APIConfiguration, registry: DeviceRegistry, ringer: Ringer? = nil, metrics: PrometheusRegistry,
    readiness: @escaping @Sendable () async -> Readiness, status: StatusBoard, nonces: Nonces,
    admission: ConnectionAdmission, present: @escaping @Sendable () -> UInt64,
    now: @escaping @Sendable () -> ContinuousClock.Instant, logger: Logger,
    onListening: @escaping @Sendable (Int) async -> Void
) throws -> some ApplicationProtocol {
    let proxies = TrustedProxies(configuration.trustedProxies)
    let router = Router(context: APIRequestContext.self, options: .autoGenerateHeadEndpoints)
    router.middlewares.add(RequestIDMiddleware())
    router.middlewares.add(
        RequestSpanMiddleware(
            server: ServerAddress(host: configuration.host, port: configuration.port == 0 ? nil : configuration.port),
            scheme: configuration.tls == nil ? "http" : "https"))
    router.middlewares.add(RequestMetricsMiddleware())
    router.middlewares.add(OpenReadingMiddleware())
    router.middlewares.add(ErrorMiddleware())
    router.middlewares.add(RequestSizeMiddleware())
    router.middlewares.add(
        HostMiddleware(
            names: HostNames(boundTo: configuration.host, names: configuration.hostNames), proxies: proxies))
    router.middlewares.add(SameOriginMiddleware())
    router.middlewares.add(QueryParameterMiddleware())
    OperationsRoutes(
        readiness: readiness, metrics: metrics, description: OpenAPIDocument.json(on: configuration.network)
    ).add(to: router)
    PageRoutes().add(to: router)
    let statusStreams = EventStreams(
        slots: EventStreams.Slots(maximum: APILimits.statusStreams, perClient: APILimits.statusStreamsPerClient),
        proxies: proxies)
    StatusRoutes(board: status, streams: statusStreams).add(to: router)
    let reads = Reads(configuration, now: now)
    MessageRoutes(store: registry.store, network: configuration.network, reads: reads).add(to: router)
    let answer = ActivityAnswer(explorerURL: configuration.explorerURL)
    let hub = ActivityHub(store: registry.store, answer: answer, logger: logger)
    let streams = EventStreams(
        slots: .init(maximum: configuration.maximumStreams), proxies: proxies, heartbeat: configuration.heartbeat,
        patience: configuration.streamPatience)
    ActivityRoutes(
        store: registry.store, network: configuration.network, hub: hub, streams: streams, answer: answer,
        reads: reads, replays: Replays(), longestReplay: configuration.longestReplay
    ).add(to: router)
    let door = RegistrationDoor(
        configuration: configuration, allowance: RegistrationAllowance(configuration, now: now),
        authenticator: Authenticator(network: configuration.network, nonces: nonces, now: present),
        unsigned: UnsignedRequests(now: now))
    let routes = router.group("v1/push")
    ChallengeRoutes(nonces: nonces, limiter: RegistrationAllowance.attempts(configuration, now: now)).add(to: routes)
    RegistrationRoutes(registry: registry, door: door, reads: reads).add(to: routes)
    WalletRoutes(registry: registry, door: door).add(to: routes)
    RingRoute(registry: registry, door: door, ringer: ringer, now: now).add(to: routes)
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
    let (headTimeout, proxies) = (configuration.headTimeout, TrustedProxies(configuration.trustedProxies))
    let plain = HTTPServerBuilder.http1(
        configuration: HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                AdmissionHandler(admission, proxies: proxies, headTimeout: headTimeout),
                ConnectionGuard(bodyTimeout: bodyTimeout, patience: patience),
            ],
            idleTimeout: TimeAmount(configuration.idleTimeout),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: APILimits.parserBytes, maxHeaderListSize: APILimits.parserBytes,
                maxHeaderFieldCount: APILimits.headerCount)))
    guard let tls = configuration.tls else { return plain }
    return try .tls(plain, tlsConfiguration: tls.serverConfiguration)
}

/// The calls of this server, for 405 answers, for other origins, and for the test that holds /openapi.json against them.
///
/// Whatever takes GET takes HEAD.
enum APIRoutes {
    /// The call that a path stands for, as it stands in `methods`; nil if there is none.
    static func call(at path: String) -> String? {
        // The router does not mind slashes that are doubled or at the end.
        let parts = path.split(separator: "/")
        let exact = "/" + parts.joined(separator: "/")
        if methods[exact] != nil { return exact }
        // One path ends in a parameter.
        let template = "/" + (parts.dropLast() + ["{tx_id}"]).joined(separator: "/")
        return methods[template] != nil ? template : nil
    }

    /// What pages of other origins may ask: what is read about the chain, what describes it, and whether the server is
    /// there.
    ///
    /// A call that is not named is closed.
    static let open: Set<String> = [
        "/docs", "/guide", "/health", "/openapi.json", "/handshakes/by-sender", "/handshakes/by-receiver",
        "/payments/by-sender", "/payments/by-receiver", "/contextual-messages/by-sender",
        "/contextual-messages/by-inbox",
        "/contextual-messages/by-txid", "/self-stash/by-owner", "/group-messages/by-blinded-group-id",
        "/group-messages/by-blinded-group-ids", "/group-messages/since", "/group-control/by-sender",
        "/group-control/by-recipient", "/group-control/since", "/broadcasts/by-channel", "/get-broadcasts",
        "/v1/messages/{tx_id}", "/v1/activity", "/v1/activity/stream", "/v1/activity/refresh",
    ]

    static let methods: [String: [HTTPRequest.Method]] = [
        "/": [.get, .head], "/status.json": [.get, .head], "/status/stream": [.get, .head], "/docs": [.get, .head],
        "/guide": [.get, .head], "/health": [.get, .head], "/ready": [.get, .head], "/metrics": [.get, .head],
        "/metrics/prometheus": [.get, .head], "/openapi.json": [.get, .head],
        "/v1/push/register": [.post], "/v1/push/update": [.put, .post], "/v1/push/unregister": [.delete, .post],
        "/v1/push/status": [.get, .head, .post], "/v1/push/challenge": [.get, .head, .post],
        "/v1/push/wallet": [.delete], "/v1/push/devices": [.post], "/v1/push/ring": [.post],
        "/handshakes/by-sender": [.get, .head], "/handshakes/by-receiver": [.get, .head],
        "/payments/by-sender": [.get, .head], "/payments/by-receiver": [.get, .head],
        "/contextual-messages/by-sender": [.get, .head], "/contextual-messages/by-inbox": [.get, .head],
        "/contextual-messages/by-txid": [.get, .head], "/self-stash/by-owner": [.get, .head],
        "/group-messages/by-blinded-group-ids": [.post], "/group-messages/since": [.post],
        "/group-control/since": [.post], "/get-broadcasts": [.get, .head],
        "/group-messages/by-blinded-group-id": [.get, .head], "/group-control/by-sender": [.get, .head],
        "/group-control/by-recipient": [.get, .head], "/broadcasts/by-channel": [.get, .head],
        "/v1/messages/{tx_id}": [.get, .head],
        "/v1/activity": [.get, .head], "/v1/activity/stream": [.get, .head], "/v1/activity/refresh": [.post],
        "/v1/push/missed": [.get, .head, .post],
    ]
}
