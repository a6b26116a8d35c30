import APNs
import Indexer
import Clocks
import Kaspa
import KaspaNode
import Logging
import Push
import Store

/// From the last byte of an answer about the virtual chain to the notification in the hands of the client, and to Apple's
/// answer, while the chain grows by ten blocks a second with 300 transactions each.
///
/// The answers come out of memory; scanner, store, dispatcher and client are the service's, and the sandbox is another
/// process. The yardstick of the whole way is a bare request to the same server.
struct ChainToWireBenchmark: Benchmark {
    static let name = "chain-to-wire"
    private static let blockInterval = Duration.milliseconds(100)
    /// More of ours than on the real chain, so that there is something to measure.
    private static let oursEvery = 30
    private let scale: Scale
    private let watched = WatchedScripts()

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let directory = try TemporaryDirectory()
        return rows(try await measure(Store(path: directory.file("store"), network: .mainnet)))
    }

    /// Milliseconds from an answer's last byte.
    struct Latencies {
        /// Until the notification is handed to the client.
        var handed = Samples()
        /// Until Apple has answered.
        var answered = Samples()
        /// Of a request alone.
        var alone = Samples()
        var count = 0
    }

    /// Follows the chain into a store that nobody has used.
    func measure(_ store: Store) async throws -> Latencies {
        let time = MachineClock.system.wall()
        let answers = ChainAnswers(
            answers: scale.liveAnswers, blocksPerAnswer: 1, oursEvery: Self.oursEvery, watched: watched, time: time)
        try await register(answers, in: store)
        let server = try SandboxProcess()
        defer { server.stop() }
        let client = try server.makeClient(connections: 1, streams: 100)
        let bare = try server.makeClient(connections: 1, streams: 1)
        var logger = Logger(label: "push")
        logger.logLevel = .error
        let sender = StopwatchSender(client: client)
        let dispatcher = Dispatcher(
            store: store, carriers: [APNsCarrier(sender: sender, capacity: 100)],
            configuration: PushConfiguration(network: .mainnet),
            clock: ServiceClock(given: MachineClock.system.wall), logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            for service in [client, bare] { group.addTask { try await service.run() } }
            group.addTask { try await dispatcher.run() }
            let starts = try await follow(answers, store, dispatcher)
            while true {
                let totals = try await store.totals()
                guard totals.deliveries > 0 || totals.events > 0 else { break }
                try await Task.sleep(for: .milliseconds(1))
            }
            return try latencies(starts, sender, try await alone(bare))
        }
    }

    /// A device for each sender of ours.
    private func register(_ answers: ChainAnswers, in store: Store) async throws {
        for index in stride(from: 0, to: answers.transactionCount, by: Self.oursEvery) {
            let device = DeviceRecord(
                token: WatchPopulation.token(index), platform: .ios, createdAt: 1, lastSeen: 1,
                watchedAddresses: [ChainAnswers.sender(of: index)])
            try await store.registry.upsertDevice(device.id) { _ in device }
            try await store.outbox.noteAccepted(device.id)
        }
        try await store.sync()
    }

    /// Reads one answer after another at the network's pace; when each had come, by transaction.
    private func follow(
        _ answers: ChainAnswers, _ store: Store, _ dispatcher: Dispatcher
    ) async throws -> [String: ContinuousClock.Instant] {
        let reading = WireReading.ours(watching: watched)
        var cursor = ChainCursor(blockHash: .zero, daaScore: 0, blueScore: 0, timestamp: 0)
        var starts: [String: ContinuousClock.Instant] = [:]
        let begin = ContinuousClock.now
        for (number, response) in answers.responses.enumerated() {
            try await Task.sleep(until: begin + Self.blockInterval * number, clock: .continuous)
            let start = ContinuousClock.now
            let read = try response.withUnsafeBytes { try reading.read($0) }
            guard let update = try read.virtualChainUpdate() else { throw BenchmarkError("Not an answer.") }
            let now = MachineClock.system.wall()
            let step = ChainStep(update, after: cursor, network: .mainnet, maximumAge: 86_400_000, now: now)
            _ = try await store.history.apply(step, now: now, withdrawsUnsent: false)
            dispatcher.wake()
            cursor = step.cursor
            for accepted in step.accepted { starts[accepted.operation.transactionID.description] = start }
        }
        return starts
    }

    /// Requests one after the other, nothing else: what the wire and the server take.
    private func alone(_ client: APNsClient) async throws -> [Double] {
        var milliseconds: [Double] = []
        for request in Notifications(200, bodyBytes: 1_024).requests {
            let start = ContinuousClock.now
            guard case .delivered = await client.send(request) else { throw BenchmarkError("Not delivered.") }
            milliseconds.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        return milliseconds
    }

    private func latencies(
        _ starts: [String: ContinuousClock.Instant], _ sender: StopwatchSender, _ requests: [Double]
    ) throws -> Latencies {
        var (handed, answered) = ([Double](), [Double]())
        for (transaction, times) in sender.times {
            guard let start = starts[transaction] else { throw BenchmarkError("\(transaction) was never accepted.") }
            handed.append((times.handedOver - start) / .milliseconds(1))
            answered.append((times.answered - start) / .milliseconds(1))
        }
        guard handed.count >= 20 else { throw BenchmarkError("Only \(handed.count) notifications were sent.") }
        return Latencies(
            handed: Samples(handed), answered: Samples(answered), alone: Samples(requests), count: handed.count)
    }

    private func rows(_ latencies: Latencies) -> [Row] {
        let what = "an answer's last byte to"
        func quantile(_ samples: Samples, _ share: Double) -> Samples { Samples([samples.quantile(share)]) }
        let (handed, answered, alone) = (latencies.handed, latencies.answered, latencies.alone)
        return [
            Row(
                "\(what) the notification at the client, \(latencies.count) of them, p50", quantile(handed, 0.5), "ms"),
            Row("  p99", quantile(handed, 0.99), "ms"),
            Row(
                "\(what) Apple's answer, p50", quantile(answered, 0.5), "ms", against: "a request alone",
                quantile(alone, 0.5)),
            Row("  p99", quantile(answered, 0.99), "ms", against: "a request alone", quantile(alone, 0.99)),
        ]
    }
}
