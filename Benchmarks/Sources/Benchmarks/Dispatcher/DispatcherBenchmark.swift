import Clocks
import Kaspa
import Store

/// The whole push path: a durable backlog out of the store, encoded, sent, answered, and its fate written.
///
/// The yardsticks send as many notifications of the same length to the same server, and do nothing else.
struct DispatcherBenchmark: Benchmark {
    static let name = "dispatcher"
    private static let deliveriesPerDevice = 5
    private static let loop = "a bare libcurl loop in C, 1 connection"
    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let directory = try TemporaryDirectory()
        let store = try Store(path: directory.file("store"), network: .mainnet)
        let backlog = try await Backlog(
            store: store, deviceCount: max(1, scale.notifications / Self.deliveriesPerDevice))
        let server = try SandboxProcess()
        defer { server.stop() }
        let bodyBytes = try await bodyBytes(backlog, server)
        let yardsticks = try await SendYardsticks(server, streams: DeliveryTurn.streams, bodyBytes: bodyBytes)
        var figures: [Int: SendFigures] = [:]
        var threads: [Int: ThreadFigures] = [:]
        var round = 1
        // The first turn opens the connections and is not counted.
        for repetition in 0...scale.repetitions {
            for connections in [1, 2] {
                Terminal.progress("  turn \(repetition) of \(scale.repetitions), connections: \(connections)")
                try await backlog.queue(scale.notifications, round: round, now: MachineClock.system.wall())
                round += 1
                let turn = try await DeliveryTurn.deliver(scale.notifications, of: backlog.store, server, connections)
                guard repetition > 0 else { continue }
                figures[connections, default: SendFigures()].add(
                    scale.notifications, seconds: turn.seconds, sender: turn.sender, server: turn.server)
                guard let times = turn.threads, times.total > 0 else {
                    throw BenchmarkError("The kernel does not say what threads cost (CONFIG_SCHED_INFO).")
                }
                threads[connections, default: ThreadFigures()].add(
                    times, sender: turn.sender, count: scale.notifications)
            }
            try await yardsticks.send(scale.notifications, counts: repetition > 0)
        }
        try await yardsticks.shutdown()
        return rows(figures, yardsticks, bodyBytes) + [1, 2].flatMap { rows(threads[$0], $0, yardsticks) }
    }

    // MARK: Deliveries

    /// What the parts of a turn cost, in microseconds for a delivery, and what would bound them.
    private struct ThreadFigures {
        private(set) var connections = Samples()
        private(set) var pool = Samples()
        private(set) var queues = Samples()
        private(set) var rest = Samples()
        /// Deliveries a second if the busiest of them had a core of its own, and nothing else held it up.
        private(set) var estimate = Samples()

        /// `sender` is all of the process, seconds.
        mutating func add(_ times: ThreadTimes, sender: Double, count: Int) {
            func microseconds(_ seconds: Double) -> Double { seconds / Double(count) * 1e6 }
            connections.add(microseconds(times.connections.reduce(0, +)))
            pool.add(microseconds(times.pool))
            queues.add(microseconds(times.queues))
            rest.add(microseconds(max(0, sender - times.total)))
            estimate.add(Double(count) / times.busiest)
        }
    }

    /// How long the bodies are: those of one small round tell.
    private func bodyBytes(_ backlog: Backlog, _ server: SandboxProcess) async throws -> Int {
        try await backlog.queue(100, round: 0, now: MachineClock.system.wall())
        return try await DeliveryTurn.deliver(100, of: backlog.store, server, 1).bodyBytes
    }

    // MARK: The table

    private func rows(_ figures: [Int: SendFigures], _ yardsticks: SendYardsticks, _ bodyBytes: Int) -> [Row] {
        guard let one = figures[1], let two = figures[2] else { return [] }
        let backlog = "deliver a backlog of \(Figure.text(Double(scale.notifications))), \(bodyBytes) B bodies"
        let single = "\(backlog), 1 connection, \(DeliveryTurn.streams) streams"
        return [
            Row(single, one.rate, "deliveries/s", against: Self.loop, yardsticks.loop.rate),
            Row("  its processor time", one.senderTime, "µs/delivery", against: Self.loop, yardsticks.loop.senderTime),
            Row("  its server's", one.serverTime, "µs/delivery", against: Self.loop, yardsticks.loop.serverTime),
            Row("  the same, 2 connections", two.rate, "deliveries/s", against: Self.loop, yardsticks.loop.rate),
            Row("  its processor time", two.senderTime, "µs/delivery", against: Self.loop, yardsticks.loop.senderTime),
            Row(
                "  the same, 1 connection", one.rate, "deliveries/s",
                against: "a bare loop of frames in C, 1 connection",
                yardsticks.frames.rate),
            Row(
                "  its processor time", one.senderTime, "µs/delivery",
                against: "a bare loop of frames in C, 1 connection",
                yardsticks.frames.senderTime),
            Row(
                "  the same, 1 connection", one.rate, "deliveries/s", against: "our client alone",
                yardsticks.client.rate),
            Row(
                "  its processor time", one.senderTime, "µs/delivery", against: "our client alone",
                yardsticks.client.senderTime),
            Row(
                "  the same", one.rate, "deliveries/s", against: "async-http-client, HTTP/2",
                yardsticks.asyncHTTPClient.rate),
            Row(
                "  the same", one.rate, "deliveries/s",
                against: yardsticks.h2load == nil ? "h2load is not installed" : "h2load", yardsticks.h2load),
        ]
    }

    private func rows(_ threads: ThreadFigures?, _ connections: Int, _ yardsticks: SendYardsticks) -> [Row] {
        guard let threads else { return [] }
        let suffix = connections == 1 ? "1 connection" : "\(connections) connections"
        return [
            Row(
                "  processor time of the client's threads, \(suffix)", threads.connections, "µs/delivery",
                against: Self.loop, yardsticks.loop.senderTime),
            Row("  of the dispatcher", threads.pool, "µs/delivery"),
            Row("  of the store's writer", threads.queues, "µs/delivery"),
            Row("  of the rest, RocksDB's threads among it", threads.rest, "µs/delivery"),
            Row(
                "  an estimate for a core each: the busiest alone", threads.estimate, "deliveries/s",
                against: Self.loop,
                yardsticks.loop.rate),
        ]
    }
}
