import APNs
import Kaspa
import Logging
import Push
import Store

/// The whole push path: a durable backlog out of the store, encoded, sent, answered, and its fate written.
struct DispatcherBenchmark: Benchmark {
    static let name = "dispatcher"
    private static let connections = 1
    private static let streams = 500
    private static let deliveriesPerDevice = 5
    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let directory = try TemporaryDirectory()
        let store = try Store(path: directory.file("store"), network: .mainnet)
        let backlog = try await Backlog(
            store: store, deviceCount: max(1, scale.notifications / Self.deliveriesPerDevice))
        let server = try SandboxProcess()
        defer { server.stop() }
        let client = try server.makeClient(connections: Self.connections, streams: Self.streams)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            return try await measure(backlog, client)
        }
    }

    private func measure(_ backlog: Backlog, _ client: APNsClient) async throws -> [Row] {
        let count = Double(scale.notifications)
        var (rate, time) = (Samples(), Samples())
        var (clientRate, clientTime) = (Samples(), Samples())
        // The first turn opens the connection and tells how long the bodies are; it is not counted.
        var bodyBytes = 0
        for repetition in 0...scale.repetitions {
            Terminal.progress("  turn \(repetition) of \(scale.repetitions)")
            try await backlog.queue(scale.notifications, round: repetition, now: PushClock.system.now())
            let before = CPUTime.own
            var seconds = 0.0
            (seconds, bodyBytes) = try await drain(backlog.store, client)
            let between = CPUTime.own
            let notifications = Notifications(scale.notifications, bodyBytes: bodyBytes)
            let start = CPUTime.own
            let clientSeconds = try await Measure.seconds {
                try await notifications.send(through: client, concurrency: Self.connections * Self.streams)
            }
            guard repetition > 0 else { continue }
            rate.add(count / seconds)
            time.add((between - before) / count * 1e6)
            clientRate.add(count / clientSeconds)
            clientTime.add((CPUTime.own - start) / count * 1e6)
        }
        let backlogSize = Figure.text(count)
        return [
            Row(
                "deliver a backlog of \(backlogSize), \(bodyBytes) B bodies, 1 connection, 500 streams", rate,
                "deliveries/s", against: "the client alone", clientRate),
            Row(
                "  its processor time without the server's", time, "µs/delivery", against: "the client alone",
                clientTime),
        ]
    }

    /// Delivers everything that waits; returns the seconds until all fates are written, and the bodies' mean length.
    private func drain(_ store: Store, _ client: APNsClient) async throws -> (seconds: Double, bodyBytes: Int) {
        var logger = Logger(label: "push")
        logger.logLevel = .error
        let sender = CountingSender(client: client, expected: scale.notifications)
        let dispatcher = PushNotificationActor(
            store: store, sender: sender,
            configuration: PushConfiguration(network: .mainnet, capacity: Self.connections * Self.streams),
            logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            let seconds = try await Measure.seconds {
                group.addTask { try await dispatcher.run() }
                try await sender.waitUntilDelivered()
                while try store.totals().deliveries > 0 { try await Task.sleep(for: .milliseconds(1)) }
            }
            return (seconds, sender.meanBodyBytes)
        }
    }
}
