import APNs
import Carriers
import Clocks
import Foundation
import Hummingbird
import HummingbirdTesting
import Kaspa
import Logging
import Push
import Store
import StoreSupport
import Synchronization
import Testing

@testable import API

/// The REST API over a real store and registry, in a directory of its own that goes with it.
final class TestService: Sendable {
    /// The registry's clock, milliseconds since 1970.
    let clock = Box(1_704_067_200_999)
    let store: Store
    let registry: DeviceRegistry
    let metrics: PrometheusRegistry
    let nonces: Nonces
    let admission: ConnectionAdmission
    /// Takes calls and rings nobody: nothing runs it.
    let ringer: Ringer?
    /// What `/` tells of what went wrong.
    let events = RecentEvents()
    let board: StatusBoard
    private let logger: Logger
    /// The time of limits and budgets, which each look moves on by `tick`.
    private let start = ContinuousClock.now
    private let looks = Box(0)
    private let tick: Duration
    private let directory: String
    private let configuration: APIConfiguration
    private let readiness: Readiness

    init(
        mode: APIConfiguration.AuthenticationMode = .mixed, rateLimitPerMinute: Int = 0,
        trustedProxies: [AddressBlock] = [], metrics: PrometheusRegistry = PrometheusRegistry(),
        readiness: Readiness = Readiness(parts: []), network: Network = .mainnet, bodyTimeout: Duration = .seconds(20),
        streamWriteTimeout: Duration = .seconds(30), headTimeout: Duration = .seconds(3600),
        idleTimeout: Duration = .seconds(60), maximumConnections: Int = 512, maximumStreams: Int = 256,
        heartbeat: Duration = .seconds(15), tls: TLSIdentity? = nil, logger: Logger? = nil,
        rowsPerRead: Int = ReadBudget.rows, waitingReads: Int = Reads.waiting,
        longestReplay: Int = ActivityStream.longestReplay, tick: Duration = .zero,
        limits: StoreLimits = StoreLimits(), conditions: StoreConditions? = nil,
        sender: (any NotificationSender)? = nil, carriers: Set<CarrierName> = Set(CarrierName.allCases),
        vapidPublicKey: String? = TestSubscription.publicKey, signingKey: PushSigner? = PushSigner(.make()),
        checkEndpoint: @escaping @Sendable (String, DeviceRecord.Platform) async -> String? = { _, _ in nil },
        randomNonce: @escaping @Sendable () -> [UInt8] = { Nonces.systemRandom() },
        sealNonce: @escaping Nonces.Seal = Nonces.mac
    ) throws {
        directory = NSTemporaryDirectory() + "/kasia-api-" + UUID().uuidString
        store = try TestStores.open(directory, network: network, limits: limits, conditions: conditions)
        let serviceClock = ServiceClock(given: { [clock] in clock.value })
        registry = DeviceRegistry(store: store, inFlight: InFlightDevices(), clock: serviceClock)
        ringer = sender.map { [store] sender in
            Ringer(store: store, sender: sender, clock: serviceClock, logger: Logger(label: "test"))
        }
        var configuration = APIConfiguration(
            network: network, authenticationMode: mode, rateLimitPerMinute: rateLimitPerMinute,
            trustedProxies: trustedProxies, maximumConnections: maximumConnections, maximumStreams: maximumStreams,
            explorerURL: "https://explorer.example/{tx_id}?{tx_id}", tls: tls)
        configuration.heartbeat = heartbeat
        configuration.port = 0
        configuration.bodyTimeout = bodyTimeout
        configuration.headTimeout = headTimeout
        configuration.streamWriteTimeout = streamWriteTimeout
        configuration.idleTimeout = idleTimeout
        configuration.rowsPerRead = rowsPerRead
        configuration.waitingReads = waitingReads
        configuration.longestReplay = longestReplay
        configuration.carriers = carriers
        configuration.vapidPublicKey = vapidPublicKey
        configuration.signingKey = { signingKey?.publicKey }
        configuration.checkEndpoint = checkEndpoint
        self.tick = tick
        self.configuration = configuration
        nonces = Nonces(storage: store.registry, now: { [clock] in clock.value }, random: randomNonce, seal: sealNonce)
        admission = ConnectionAdmission(maximum: maximumConnections)
        self.logger =
            logger
            ?? {
                var logger = Logger(label: "test")
                logger.logLevel = .critical
                return logger
            }()
        self.metrics = metrics
        self.readiness = readiness
        board = StatusBoard(
            metrics: metrics, events: events, network: "\(network)", now: { [clock] in clock.value },
            facts: { StatusFacts(readiness: readiness) })
    }

    /// A number that the service reads and the test sets.
    final class Box: Sendable {
        private let state: Mutex<UInt64>
        init(_ value: UInt64) { state = Mutex(value) }
        var value: UInt64 {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
        func next() -> UInt64 {
            state.withLock { value in
                value += 1
                return value
            }
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Runs a test against the router, or against a listening server (`.live`).
    func run(
        _ setup: TestingSetup = .router, _ test: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let (readiness, start, looks, tick) = (readiness, start, looks, tick)
        let application = try APIBuilder(
            configuration: configuration, registry: registry, ringer: ringer, metrics: metrics,
            readiness: { readiness }, status: board, nonces: nonces, admission: admission,
            present: { [clock] in clock.value }, now: { start + tick * Double(looks.next()) }, logger: logger
        ).build(onListening: { _ in })
        try await application.test(setup, test)
    }

    /// How many nonces are remembered as used.
    func usedNonces() throws -> UInt64 { try store.checkBooks().rows[.usedNonces, default: 0] }

    /// The stored registration.
    func device(_ token: String) async throws -> DeviceRecord? {
        try await registry.device(token: Hex.decode(token) ?? Array(token.utf8))
    }
}

/// Sends nothing: in these tests nothing runs the ringer that would ask it.
struct SilentSender: NotificationSender {
    func send(_ request: APNsRequest, ended: @escaping @Sendable (APNsOutcome) -> Void) {
        ended(.notSent(.shuttingDown))
    }
}
