import API
import APNsSandbox
import Clocks
import Foundation
import Indexer
import Kaspa
@testable import KasiaPushIndexer
import KaspadReplay
import Logging
import Push
import Recordings
import ServiceLifecycle
import Store
import StoreSupport
import Testing
import WebPush

/// Both ends of the service for one test: a replay node and Apple's stand-in on loopback ports, and a store's folder.
///
/// The indexer comes and goes between them (`withIndexer`), as often as a test likes, on the same store.
struct World: Sendable {
    static let topic = "com.example.kasia"

    let replay: ReplayNode
    let sandbox: APNsSandbox
    let credentials: SandboxCredentials
    let folder: URL
    let nodePort: Int
    /// Settings of carriers other than Apple; none unless asked for.
    let carriers: [String: String]

    /// Runs `body` between a node that plays `recording` in steps and a sandbox; both end with it.
    ///
    /// With `allCarriers` the sandbox plays Google and a Web Push service, too, and the indexer uses them.
    static func with<Result: Sendable>(
        _ recording: Recording, allCarriers: Bool = false,
        replay configure: @Sendable (inout ReplayConfiguration) -> Void = { _ in },
        sandbox configureSandbox: @Sendable (inout SandboxConfiguration) -> Void = { _ in },
        _ body: @Sendable @escaping (World) async throws -> Result
    ) async throws -> Result {
        var configuration = ReplayConfiguration()
        configuration.pace = .stepped
        configure(&configuration)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let replay = try ReplayNode(recording: recording, configuration: configuration, logger: logger)
        let credentials = SandboxCredentials.generate()
        var sandboxConfiguration = SandboxConfiguration(credentials: credentials, topics: [topic])
        let google = allCarriers ? try GoogleStandIn.generate() : nil
        sandboxConfiguration.google = google
        sandboxConfiguration.webPush = allCarriers
        configureSandbox(&sandboxConfiguration)
        let sandbox = try APNsSandbox(configuration: sandboxConfiguration, logger: logger)
        try await sandbox.start()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(sandbox.certificateAuthorityPEM.utf8).write(to: folder.appendingPathComponent("ca.pem"))
        try Data(credentials.privateKeyPEM.utf8).write(to: folder.appendingPathComponent("key.p8"))
        defer { try? FileManager.default.removeItem(at: folder) }
        let carriers = try google.map { try settings(of: $0, at: sandbox.origin, in: folder) } ?? [:]
        let group = ServiceGroup(services: [sandbox, replay], logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let outcome: Swift.Result<Result, any Error>
            do {
                let world = World(
                    replay: replay, sandbox: sandbox, credentials: credentials, folder: folder,
                    nodePort: try await replay.boundPort, carriers: carriers)
                outcome = .success(try await body(world))
            } catch {
                outcome = .failure(error)
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try outcome.get()
        }
    }

    /// A clock that begins at `start`, milliseconds since 1970, and goes on: what is tried again has its turn.
    static func clock(from start: UInt64) -> @Sendable () -> UInt64 {
        let begin = ContinuousClock.now
        return { start + (ContinuousClock.now - begin).millisecondsRoundedDown }
    }

    /// Writes the credentials of Google and of Web Push, and returns the settings that name them.
    private static func settings(
        of google: GoogleStandIn, at origin: String, in folder: URL
    ) throws -> [String: String] {
        let account = folder.appendingPathComponent("account.json")
        let key = folder.appendingPathComponent("vapid.pem")
        try Data(google.serviceAccountJSON(origin: origin).utf8).write(to: account)
        try Data(VAPIDKey.make().privateKeyPEM.utf8).write(to: key)
        let authority = folder.appendingPathComponent("ca.pem").path
        return [
            "FCM_SERVICE_ACCOUNT_PATH": account.path, "FCM_ENDPOINT": origin, "FCM_CA_PATH": authority,
            "WEB_PUSH_VAPID_KEY_PATH": key.path, "WEB_PUSH_SUBJECT": "mailto:operator@example.org",
            "WEB_PUSH_ALLOWED_ORIGINS": origin, "WEB_PUSH_PRIVATE_ADDRESSES": "true", "WEB_PUSH_CA_PATH": authority,
        ]
    }

    /// The environment variables by which an indexer of its own process finds this world.
    var environment: [String: String] {
        let store = folder.appendingPathComponent("store").path
        var own = [
            "NETWORK_TYPE": "mainnet", "NODE_URLS": "http://127.0.0.1:\(nodePort)", "HTTP_PORT": "0",
            "STORE_PATH": store, "HTTP_RATE_LIMIT_PER_MINUTE": "0",
            "APNS_TEAM_ID": credentials.teamID, "APNS_KEY_ID": credentials.keyID, "APNS_TOPIC": World.topic,
            "APNS_KEY_PATH": folder.appendingPathComponent("key.p8").path, "APNS_ENDPOINT": sandbox.origin,
            "APNS_CA_PATH": folder.appendingPathComponent("ca.pem").path,
        ]
        if !TestEngine.isRocksDB { own["STORE_URL"] = try? TestStores.url(store) }
        return own.merging(carriers) { $1 }
    }

    /// Runs the real services in this process while `body` runs, stops them gracefully, and waits until the store is
    /// closed: the next indexer opens it.
    ///
    /// `now` is the indexer's time, milliseconds since 1970; without it, what it makes of `machine`.
    func withIndexer<Result: Sendable>(
        now: (@Sendable () -> UInt64)? = nil, machine: MachineClock = .system,
        settings: [String: String] = [:], _ body: @Sendable (RunningIndexer) async throws -> Result
    ) async throws -> Result {
        let (outcome, closing) = try await run(now: now, machine: machine, settings: settings, body)
        guard await closing.wait(atMost: .seconds(60)) else {
            throw NeverHappened(description: "the stopped indexer's store is still open")
        }
        return try outcome.get()
    }

    /// Lets go of the indexer, and with it of the store, at its end.
    private func run<Result: Sendable>(
        now: (@Sendable () -> UInt64)?, machine: MachineClock, settings: [String: String],
        _ body: @Sendable (RunningIndexer) async throws -> Result
    ) async throws -> (outcome: Swift.Result<Result, any Error>, closing: StoreClosing) {
        let configuration = try IndexerConfiguration.load(
            defaultFile: folder.appendingPathComponent("none.yaml").path,
            environment: environment.merging(settings) { $1 })
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let service = try await IndexerService(
            configuration: configuration, start: .pruningPoint, metrics: PrometheusRegistry(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, machine: machine,
            givenClock: now.map { ServiceClock(given: $0) },
            onListening: { port.yield($0) })
        let group = service.group()
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { port.finish() }
                try await group.run()
            }
            let outcome: Swift.Result<Result, any Error>
            do {
                var iterator = ports.makeAsyncIterator()
                let port = try #require(await iterator.next(isolation: nil))
                outcome = .success(
                    try await body(RunningIndexer(rest: RESTClient(port: port), store: service.store, world: self)))
            } catch {
                outcome = .failure(error)
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return (outcome, service.store.closing)
        }
    }
}

/// An indexer that runs in this process.
struct RunningIndexer: Sendable {
    let rest: RESTClient
    let store: Store
    let world: World

    /// Returns when the indexer has applied the virtual chain up to `tip` and nothing waits to be sent.
    func untilQuiet(at tip: BlockHash) async throws {
        try await eventually("the chain is followed to \(tip)") { try await store.history.cursor()?.blockHash == tip }
        try await eventually("the outbox is empty") {
            let totals = try await store.totals()
            return totals.events == 0 && totals.deliveries == 0
        }
    }
}
