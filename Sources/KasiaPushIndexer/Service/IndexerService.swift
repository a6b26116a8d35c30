import API
import APNs
import BuildInfo
import Clocks
import Indexer
import Kaspa
import KaspaNode
import Logging
import Push
import ServiceLifecycle
import Store
import UnixSignals

/// The wired service: what `serve` runs, and what tests run in their own process.
struct IndexerService: Sendable {
    /// How much longer than the drain a stop may take before it is cut short.
    private static let stopSlack = Duration.seconds(20)

    private let configuration: IndexerConfiguration
    private let logger: Logger
    private let services: [any Service]
    /// What the service keeps; tests look into it.
    let store: Store

    /// Opens the store and connects the parts; nothing runs yet.
    ///
    /// `events` are the log's, for the status page. `reload` reads the configuration again on SIGHUP; nil keeps the APNs
    /// key. `machine` is the machine's clocks; `givenClock` takes their place. `notifier` is systemd's. `exporters` start
    /// first and stop last. `onListening` is told the REST port.
    /// Errors: `StoreError`, `StartError`; both are for the operator.
    init(
        configuration: IndexerConfiguration, start: ChainIndexing.Start, metrics: PrometheusRegistry, logger: Logger,
        machine: MachineClock = .system, givenClock: ServiceClock? = nil, events: RecentEvents = RecentEvents(),
        reload: (@Sendable () throws(ConfigurationError) -> IndexerConfiguration)? = nil,
        notifier: SystemdNotifier? = nil, exporters: [any Service] = [],
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws {
        self.configuration = configuration
        self.logger = logger
        let network = configuration.network.type
        // The log's first line, whatever comes of the start.
        logger.notice(
            "service.starting",
            metadata: [
                "version": "\(Build.version)", "revision": "\(Build.revision)", "swift": "\(Build.swift)",
                "network": "\(network)", "store": "\(configuration.store.path)",
            ])
        let migration = MigrationReporter(logger: logger, notifier: notifier)
        var limits = configuration.store.limits
        limits.devices = UInt64(configuration.push.maxDevices)
        let store = try Store(
            path: configuration.store.path, network: network, limits: limits,
            older: .migrate(migration.report))
        self.store = store
        let clock = try givenClock ?? ServiceClock(machine, kept: store.clockReading())
        let pipeline = try IndexerService.makePipeline(configuration, store: store, clock: clock)
        let node = NodeClient(
            configuration: try IndexerService.nodes(configuration), reading: .ours(watching: store.watchedScripts),
            logger: Logger(label: "kasia.node"))
        var indexing = ChainIndexing(
            network: network, start: start, enqueuesEvents: pipeline != nil,
            maximumAge: configuration.push.maxAge.wholeMilliseconds,
            withdrawsUnsent: configuration.push.confirmations > 0,
            retractsPayments: configuration.push.retractions)
        indexing.broadcastChannels = Set(configuration.push.broadcastChannels)
        indexing.confirmations = UInt64(configuration.push.confirmations)
        let chain = VirtualChainProcessor(
            node: node, store: store, indexing: indexing, clock: clock,
            logger: Logger(label: "kasia.indexer"), origins: pipeline?.dispatcher.origins
        ) { pipeline?.dispatcher.wake() }
        let blocks = BlockProcessor(
            node: node, store: store, status: chain.status, logger: Logger(label: "kasia.indexer"))
        let registry = DeviceRegistry(
            store: store, inFlight: pipeline?.dispatcher.inFlight ?? InFlightDevices(),
            ringing: pipeline?.ringer.inFlight, clock: clock)
        let probe = ReadinessProbe(
            node: node, store: store, chain: chain.status, dispatcher: pipeline?.dispatcher, clock: clock)
        let board = StatusBoard(
            metrics: metrics, events: events, network: "\(network)", now: clock.present, facts: { await probe.facts() })
        let tls = try IndexerService.tlsIdentity(configuration.http)
        let api = try buildAPI(
            configuration: APIConfiguration(configuration, tls: tls), registry: registry, ringer: pipeline?.ringer,
            metrics: metrics, readiness: { await probe.readiness() }, status: board, present: clock.present,
            logger: Logger(label: "kasia.api")
        ) { port in
            logger.notice("api.listening", metadata: ["host": "\(configuration.http.host)", "port": "\(port)"])
            notifier?.ready()
            await onListening(port)
        }
        // Stopped from the last to the first: no new requests, no new events, then the drain.
        var services = exporters
        services.append(WatchIndexKeeper(store: store, logger: Logger(label: "kasia.store")))
        if let notifier, let interval = notifier.watchdogInterval {
            services.append(
                WatchdogService(notifier: notifier, interval: interval, readiness: { await probe.readiness() }))
        }
        services.append(MachineGauges(store: store, storePath: configuration.store.path))
        services.append(HeapKeeper())
        services.append(LogKeeper(store: store, logger: Logger(label: "kasia.store")))
        services.append(StatusSampler(board: board))
        services.append(ClockKeeper(clock: clock, store: store, logger: logger))
        services.append(
            HistoryKeeper(
                store: store, retention: configuration.store.retention, maximumAge: configuration.push.maxAge,
                clock: clock, logger: Logger(label: "kasia.store")))
        services += pipeline.map { [$0] } ?? []
        services.append(WatchIndexReader(store: store, logger: Logger(label: "kasia.indexer")))
        services += [node, blocks, chain.resolver, chain]
        services.append(
            ControlService(
                storePath: configuration.store.path, store: store, registry: registry,
                client: pipeline?.client, logger: Logger(label: "kasia.control"),
                sendingTrouble: { await pipeline?.dispatcher.sendingTrouble }))
        services.append(ListenerService(server: api, host: configuration.http.host, port: configuration.http.port))
        let keyRotation = reload.map {
            KeyRotation(
                pipeline: pipeline, store: store, time: clock.corrected, settings: configuration.apns, logger: logger,
                reload: $0)
        }
        services.append(
            HangupService(
                tls: tls, keyRotation: keyRotation, notifier: notifier, logger: Logger(label: "kasia.api")))
        self.services = services
        if pipeline == nil {
            logger.notice(
                "push.not_configured",
                metadata: ["consequence": "no pushes are sent and nothing is queued: set apns.* to change that"])
        }
    }

    /// Runs until a signal, or the failure of a part.
    func run(gracefulShutdownSignals signals: [UnixSignal]) async throws {
        try await group(gracefulShutdownSignals: signals).run()
        logger.notice("service.stopped")
    }

    /// The parts in the order of their dependence, ready to run.
    func group(gracefulShutdownSignals signals: [UnixSignal]) -> ServiceGroup {
        var group = ServiceGroupConfiguration(
            // When one part fails the others stop in their order, as at a signal.
            services: services.map {
                ServiceGroupConfiguration.ServiceConfiguration(
                    service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: signals, logger: logger)
        group.maximumGracefulShutdownDuration = configuration.push.drainTimeout + IndexerService.stopSlack
        return ServiceGroup(configuration: group)
    }

    private static func nodes(_ configuration: IndexerConfiguration) throws -> NodeConfiguration {
        let nodes = NodeConfiguration(configuration)
        do {
            try nodes.checkAuthority()
        } catch {
            throw StartError(description: "node.ca_path: \(error)", isConfiguration: true)
        }
        return nodes
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

    /// The sending side; nil without credentials.
    private static func makePipeline(
        _ configuration: IndexerConfiguration, store: Store, clock: ServiceClock
    ) throws -> PushPipeline? {
        guard let settings = configuration.apns else { return nil }
        var apns = APNsConfiguration(settings)
        apns.drainTimeout = configuration.push.drainTimeout
        do {
            let tokens = try ProviderTokenSource(
                teamID: settings.teamID, keyID: settings.keyID, privateKeyPEM: settings.key.pem.revealed,
                storage: StoredTokens(store: store, beside: ProviderTokenFile(storePath: configuration.store.path)),
                time: clock.corrected)
            let client = try APNsClient(
                configuration: apns, providerToken: tokens, logger: Logger(label: "kasia.apns"))
            let dispatcher = PushNotificationActor(
                store: store, sender: client, configuration: PushConfiguration(configuration, settings),
                clock: clock, logger: Logger(label: "kasia.push"))
            let ringer = Ringer(store: store, sender: client, clock: clock, logger: Logger(label: "kasia.push"))
            return PushPipeline(dispatcher: dispatcher, ringer: ringer, client: client)
        } catch let error as ProviderTokenError {
            throw StartError(description: "apns.key or apns.key_path: \(error)", isConfiguration: true)
        } catch let error as APNsConfigurationError {
            throw StartError(description: "apns: \(error)", isConfiguration: true)
        }
    }
}

extension NodeConfiguration {
    /// All nodes as the operator set them.
    init(_ configuration: IndexerConfiguration) {
        self.init(urls: configuration.node.urls, network: configuration.network.type)
        stallTimeout = configuration.node.stallTimeout
        certificateAuthorityPath = configuration.node.caPath
    }
}

extension PushConfiguration {
    fileprivate init(_ configuration: IndexerConfiguration, _ apns: APNsSettings) {
        let push = configuration.push
        self.init(
            network: configuration.network.type, payloadFormat: push.payloadFormat == .kachat ? .kachat : .kasia,
            maximumPayloadBytes: push.maxPayloadBytes, maximumAge: push.maxAge,
            confirmations: UInt64(push.confirmations), expiration: push.expiration,
            invalidTokenStrikes: push.invalidTokenStrikes, retractions: push.retractions,
            capacity: apns.connection.connections * apns.connection.streams)
        if APNsConfiguration(apns).hasTwoServers { environment = apns.host == .production ? .production : .development }
    }
}

extension APIConfiguration {
    fileprivate init(_ configuration: IndexerConfiguration, tls: TLSIdentity?) {
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
    /// A link to a transaction with `{tx_id}` in it; nil where there is no explorer, or none is wanted.
    fileprivate var explorerURL: String? {
        guard http.explorerURL.isEmpty else { return http.explorerURL == "none" ? nil : http.explorerURL }
        return switch network.type {
        case .mainnet: "https://explorer.kaspa.org/txs/{tx_id}"
        case .testnet(10): "https://explorer-tn10.kaspa.org/txs/{tx_id}"
        default: nil
        }
    }
}
