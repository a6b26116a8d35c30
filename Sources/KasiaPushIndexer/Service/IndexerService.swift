import API
import BuildInfo
import Carriers
import Clocks
import Indexer
import Kaspa
import Logging
import Metrics
import PostgresStore
import Push
import ServiceLifecycle
import Store

/// The complete service, which `serve` runs, and tests run in their own process.
struct IndexerService: Sendable {
    /// How much longer than the drain a stop may take before everything is cancelled.
    private static let stopSlack = Duration.seconds(20)

    private let configuration: IndexerConfiguration
    private let signals = StopSignals()
    private let membership: Membership?
    private let shards: ShardRunner?
    private let logger: Logger
    private let services: [any Service]
    /// The store, which tests read.
    let store: Store

    /// Opens the store and connects the parts; nothing runs yet.
    ///
    /// With `store.standby` it returns when no other process works on the store any more, which may take weeks.
    /// `events` are the log's, for the status page. `reload` reads the configuration again on SIGHUP; nil keeps the
    /// APNs key. `machine` is the machine's clocks; `givenClock` takes their place. `notifier` is systemd's.
    /// `exporters` start first and stop last. `onListening` is told the REST port. Errors: `StoreError`, `StartError`;
    /// both are for the operator; `StandbyStopped`.
    init(
        configuration: IndexerConfiguration, start: ChainIndexing.Start, metrics: PrometheusRegistry, logger: Logger,
        machine: MachineClock = .system, givenClock: ServiceClock? = nil, events: RecentEvents = RecentEvents(),
        reload: (@Sendable () throws(ConfigurationError) -> IndexerConfiguration)? = nil,
        notifier: SystemdNotifier? = nil, exporters: [any Service] = [],
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async throws {
        (self.configuration, self.logger) = (configuration, logger)
        IndexerService.logStart(configuration, logger)
        let tls = try IndexerService.tlsIdentity(configuration.http)
        // One for all attempts: it watches for how long nobody has been at work.
        let watch = configuration.store.standby ? StandbyWatch() : nil
        let membership = Membership(configuration, watch: watch, metrics: metrics, logger: logger)
        self.membership = membership
        let shards = try ShardRunner(
            configuration, membership: membership, signals: signals, machine: machine, givenClock: givenClock,
            metrics: metrics, reload: reload)
        self.shards = shards
        await shards?.begin()
        let drain = ShardDrain(
            configuration: configuration, watch: watch, machine: machine, givenClock: givenClock, logger: logger)
        let open = try IndexerService.opening(configuration, watch, drain, notifier, logger)
        let standby = StandbyService(
            configuration: configuration, tls: tls, metrics: metrics, notifier: notifier, signals: signals,
            membership: membership, shards: shards, logger: logger, onListening: onListening, open: open
        ) { () async throws(StoreError) -> Store in
            try await configuration.store.open(
                network: configuration.network.type, readOnly: true, older: .refuse, standby: watch)
        }
        let store: Store
        do {
            store = configuration.store.standby ? try await standby.openStore() : try await open()
        } catch {
            await shards?.end()
            throw error
        }
        Gauge(label: "kasia_standby", factory: metrics).record(0)
        self.store = store
        let kept = try await store.clockReading()
        let clock = givenClock ?? ServiceClock(machine, kept: kept)
        let parts = try await IndexerParts(configuration, start: start, store: store, clock: clock)
        let board = StatusBoard(
            metrics: metrics, events: events, network: "\(configuration.network.type)", now: clock.present,
            facts: {
                var facts = await parts.probe.facts()
                facts.members =
                    membership?.members.map { .init($0, isShared: configuration.store.shards > 1) } ?? []
                return facts
            })
        let api = try IndexerService.makeAPI(
            parts, tls: tls, metrics: metrics, board: board, logger: logger, notifier: notifier,
            onListening: onListening)
        let keyRotation = reload.map {
            KeyRotation(
                pipeline: parts.pipeline, signer: parts.signer, store: store, time: clock.corrected,
                settings: configuration.apns, fcm: configuration.fcm, logger: logger, reload: $0)
        }
        // They stop from the last to the first: no new requests, no new events, then the drain.
        services =
            exporters + (membership.map { [$0.service(isWorking: true)] } ?? [])
            + parts.upkeepServices(board: board, notifier: notifier, logger: logger) + parts.chainServices
            + [
                parts.controlService,
                ListenerService(server: api, host: configuration.http.host, port: configuration.http.port),
                HangupService(
                    tls: tls, keyRotation: keyRotation, shards: shards, notifier: notifier,
                    logger: Logger(label: "kasia.api")),
            ]
        if let key = parts.signer?.publicKey {
            logger.notice("push.signed", metadata: ["key.id": "\(key.keyID)"])
        }
        if parts.pipeline == nil {
            logger.notice(
                "push.not_configured",
                metadata: [
                    "consequence":
                        "no pushes are sent and nothing is queued: set apns.*, fcm.* or web_push.* to change that"
                ])
        }
    }

    /// The first log line, even if the start fails.
    private static func logStart(_ configuration: IndexerConfiguration, _ logger: Logger) {
        logger.notice(
            "service.starting",
            metadata: [
                "version": "\(Build.version)", "revision": "\(Build.revision)", "swift": "\(Build.swift)",
                "network": "\(configuration.network.type)", "store": "\(configuration.store.location)",
            ])
    }

    /// An attempt to open the store, which migrates one of an older version.
    private static func opening(
        _ configuration: IndexerConfiguration, _ watch: StandbyWatch?, _ drain: ShardDrain,
        _ notifier: SystemdNotifier?, _ logger: Logger
    ) throws -> @Sendable () async throws(StoreError) -> Store {
        var limits = configuration.store.limits
        limits.devices = UInt64(configuration.push.maxDevices)
        let migration = MigrationReporter(logger: logger, notifier: notifier)
        // The service's own small files are there, whatever keeps the rows.
        if configuration.store.server != nil { try StoreFiles.makeFolder(configuration.store.path) }
        return { [limits] () async throws(StoreError) -> Store in
            try await drain.open { () async throws(StoreError) -> Store in
                try await configuration.store.open(
                    network: configuration.network.type, limits: limits, older: .migrate(migration.report),
                    standby: watch, shards: configuration.store.server.map { _ in configuration.store.shards })
            }
        }
    }

    private static func makeAPI(
        _ parts: IndexerParts, tls: TLSIdentity?, metrics: PrometheusRegistry, board: StatusBoard, logger: Logger,
        notifier: SystemdNotifier?, onListening: @escaping @Sendable (Int) async -> Void
    ) throws -> any Service {
        let configuration = parts.configuration
        var settings = APIConfiguration(configuration, tls: tls)
        settings.signingKey = { [signer = parts.signer] in signer?.publicKey }
        // Without any carrier Apple's devices may register, so that the API can be tried.
        if let carriers = parts.pipeline?.carriers {
            settings.carriers = carriers.names
            settings.vapidPublicKey = carriers.vapidPublicKey
            settings.checkEndpoint = carriers.refusal(of:on:)
        }
        return try buildAPI(
            configuration: settings, registry: parts.registry,
            ringer: parts.pipeline?.ringer, metrics: metrics, readiness: { await parts.probe.readiness() },
            status: board, present: parts.clock.present, logger: Logger(label: "kasia.api")
        ) { port in
            logger.notice("api.listening", metadata: ["host": "\(configuration.http.host)", "port": "\(port)"])
            notifier?.ready()
            await onListening(port)
        }
    }

    /// Runs until a signal, or the failure of a part.
    func run() async throws {
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await signals.run(group()))
        } catch {
            outcome = .failure(error)
        }
        await shards?.end()
        await membership?.leave()
        try outcome.get()
        logger.notice("service.stopped")
    }

    /// The services in the order of their dependencies, ready to run.
    func group() -> ServiceGroup { IndexerService.group(services, configuration.push, logger) }

    /// Services that stop in order, from the last to the first.
    static func group(_ services: [any Service], _ push: PushSettings, _ logger: Logger) -> ServiceGroup {
        var group = ServiceGroupConfiguration(
            // When one fails, the others stop in order, as at a signal.
            services: services.map {
                ServiceGroupConfiguration.ServiceConfiguration(
                    service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
            }, logger: logger)
        group.maximumGracefulShutdownDuration = push.drainTimeout + stopSlack
        return ServiceGroup(configuration: group)
    }

    /// The REST port's certificate; nil for plain HTTP.
    private static func tlsIdentity(_ http: HTTPSettings) throws -> TLSIdentity? {
        guard let files = http.tls else { return nil }
        do {
            return try TLSIdentity(certificatePath: files.certificatePath, keyPath: files.keyPath)
        } catch {
            throw StartError(description: "\(error)")
        }
    }
}

extension APIConfiguration {
    /// What the configuration says of the REST server.
    init(_ configuration: IndexerConfiguration, tls: TLSIdentity?) {
        let mode: AuthenticationMode =
            switch configuration.push.authMode {
            case .legacy: .legacy
            case .mixed: .mixed
            case .strict: .strict
            }
        self.init(
            network: configuration.network.type, host: configuration.http.host, port: configuration.http.port,
            authenticationMode: mode, rateLimitPerMinute: configuration.http.rateLimitPerMinute,
            trustedProxies: configuration.http.trustedProxies,
            maximumConnections: configuration.http.maxConnections, maximumStreams: configuration.http.maxStreams,
            explorerURL: configuration.explorerURL, hostNames: configuration.http.hostNames, tls: tls)
    }
}

extension IndexerConfiguration {
    /// The explorer's link to a transaction with `{tx_id}` in it; nil if there is none, or it is switched off.
    fileprivate var explorerURL: String? {
        guard http.explorerURL.isEmpty else { return http.explorerURL == "none" ? nil : http.explorerURL }
        return switch network.type {
        case .mainnet: "https://explorer.kaspa.org/txs/{tx_id}"
        case .testnet(10): "https://explorer-tn10.kaspa.org/txs/{tx_id}"
        default: nil
        }
    }
}
