import API
import Carriers
import Clocks
import Indexer
import Kaspa
import KaspaNode
import Logging
import Push
import ServiceLifecycle
import Store

/// The parts between the node and the carriers, connected but not running.
struct IndexerParts: Sendable {
    let configuration: IndexerConfiguration
    let store: Store
    let clock: ServiceClock
    /// Signs pushes; nil without a key.
    let signer: PushSigner?
    /// The push side; nil if no carrier is configured.
    let pipeline: PushPipeline?
    let node: NodeClient
    let blocks: BlockProcessor
    let chain: VirtualChainProcessor
    let registry: DeviceRegistry
    let probe: ReadinessProbe

    /// Errors: `StartError`, for the operator.
    init(
        _ configuration: IndexerConfiguration, start: ChainIndexing.Start, store: Store, clock: ServiceClock
    ) async throws {
        self.configuration = configuration
        self.store = store
        self.clock = clock
        let signer = try IndexerParts.makeSigner(configuration.push)
        self.signer = signer
        let pipeline = try IndexerParts.makePipeline(configuration, signer: signer, store: store, clock: clock)
        self.pipeline = pipeline
        node = NodeClient(
            configuration: try IndexerParts.nodes(configuration),
            reading: .ours(watching: store.registry.watchedScripts), logger: Logger(label: "kasia.node"))
        chain = await VirtualChainProcessor(
            node: node, store: store,
            indexing: ChainIndexing(configuration, start: start, enqueuesEvents: pipeline != nil), clock: clock,
            logger: Logger(label: "kasia.indexer"), origins: pipeline?.dispatcher.origins
        ) { pipeline?.dispatcher.wake() }
        blocks = BlockProcessor(node: node, store: store, status: chain.status, logger: Logger(label: "kasia.indexer"))
        registry = DeviceRegistry(
            store: store, inFlight: pipeline?.dispatcher.inFlight ?? InFlightDevices(),
            ringing: pipeline?.ringer?.inFlight, clock: clock)
        probe = ReadinessProbe(
            node: node, store: store, chain: chain.status, pipeline: pipeline, clock: clock)
    }

    /// The services besides the path of a transaction, which stop after it.
    func upkeepServices(board: StatusBoard, notifier: SystemdNotifier?, logger: Logger) -> [any Service] {
        let storeLogger = Logger(label: "kasia.store")
        var services: [any Service] = [WatchFilterWriter(store: store, logger: storeLogger)]
        if let notifier, let interval = notifier.watchdogInterval {
            services.append(
                WatchdogService(notifier: notifier, interval: interval, readiness: { await probe.readiness() }))
        }
        if configuration.store.server != nil {
            services.append(
                ReplacementMonitor(store: store, location: configuration.store.location, logger: logger))
        }
        if store.shards.count > 1 { services.append(ShardReports(registry: registry)) }
        return services + [
            MachineGauges(store: store, settings: configuration.store),
            WriteAheadLogSync(store: store, logger: storeLogger),
            PeriodicTask(every: StatusBoard.interval) { await board.sample() },
            ClockMonitor(clock: clock, store: store, logger: logger),
            HistoryPruner(
                store: store, retention: configuration.store.retention, maximumAge: configuration.push.maxAge,
                clock: clock, logger: storeLogger),
        ]
    }

    /// The services of the path, from the carriers back to the node, so that the node's side stops first.
    var chainServices: [any Service] {
        let sending: [any Service] = pipeline.map { [$0] } ?? []
        return sending + [
            WatchFilterLoader(store: store, logger: Logger(label: "kasia.indexer")), node, blocks, chain.resolver,
            chain,
        ]
    }

    /// Serves the commands that need the running service.
    var controlService: ControlService {
        ControlService(
            storePath: configuration.store.path, store: store, registry: registry, client: pipeline?.carriers.apns,
            logger: Logger(label: "kasia.control"), sendingTrouble: { await pipeline?.dispatcher.sendingTrouble })
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

    static func makeSigner(_ settings: PushSettings) throws -> PushSigner? {
        guard let pem = settings.signingKey?.text.revealed else { return nil }
        do {
            return PushSigner(try SigningKey(pem: pem))
        } catch {
            throw StartError(description: "push.signing_key_path: \(error)", isConfiguration: true)
        }
    }

    /// The push side; nil without any carrier's credentials.
    private static func makePipeline(
        _ configuration: IndexerConfiguration, signer: PushSigner?, store: Store, clock: ServiceClock
    ) throws -> PushPipeline? {
        let carriers = try ConfiguredCarriers(configuration, signer: signer, store: store, clock: clock)
        guard !carriers.all.isEmpty else { return nil }
        let logger = Logger(label: "kasia.push")
        let dispatcher = Dispatcher(
            store: store, carriers: carriers.all, configuration: PushConfiguration(configuration), clock: clock,
            logger: logger)
        let ringer = carriers.apns.map {
            Ringer(store: store, sender: $0, signer: signer, clock: clock, logger: logger)
        }
        return PushPipeline(dispatcher: dispatcher, carriers: carriers, ringer: ringer)
    }
}

extension ChainIndexing {
    fileprivate init(_ configuration: IndexerConfiguration, start: Start, enqueuesEvents: Bool) {
        let push = configuration.push
        self.init(
            network: configuration.network.type, start: start, enqueuesEvents: enqueuesEvents,
            maximumAge: push.maxAge.millisecondsRoundedDown, withdrawsUnsent: push.confirmations > 0,
            retractsPayments: push.retractions)
        broadcastChannels = Set(push.broadcastChannels)
        confirmations = UInt64(push.confirmations)
    }
}

extension NodeConfiguration {
    /// The operator's nodes.
    init(_ configuration: IndexerConfiguration) {
        self.init(urls: configuration.node.urls, network: configuration.network.type)
        stallTimeout = configuration.node.stallTimeout
        certificateAuthorityPath = configuration.node.caPath
    }
}

extension PushConfiguration {
    init(_ configuration: IndexerConfiguration) {
        let push = configuration.push
        self.init(
            network: configuration.network.type, maximumAge: push.maxAge, confirmations: UInt64(push.confirmations),
            expiration: push.expiration, invalidTokenStrikes: push.invalidTokenStrikes, retractions: push.retractions)
    }
}
