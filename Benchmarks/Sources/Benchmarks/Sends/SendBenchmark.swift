import APNs

/// Notifications a second through the client to the sandbox, which is another process: TLS, HTTP/2, 1 kB bodies.
struct SendBenchmark: Benchmark {
    static let name = "sends"
    private static let bodyBytes = 1_024
    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let server = try SandboxProcess()
        defer { server.stop() }
        let yardstick = try await H2Load(server: server, bodyBytes: Self.bodyBytes)
        var rows: [Row] = []
        for connections in [1, 2] {
            for streams in [100, 500] {
                Terminal.progress("  connections: \(connections), streams: \(streams)")
                rows += try await measure(connections, streams, server, yardstick)
            }
        }
        return rows
    }

    private func measure(
        _ connections: Int, _ streams: Int, _ server: SandboxProcess, _ yardstick: H2Load?
    ) async throws -> [Row] {
        let client = try server.makeClient(connections: connections, streams: streams)
        let notifications = Notifications(scale.notifications, bodyBytes: Self.bodyBytes)
        let count = scale.notifications
        var (ours, theirs) = (SendFigures(), SendFigures())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            // The first turn opens the connections and is not counted.
            for repetition in 0...scale.repetitions {
                let (own, server0) = (CPUTime.own, server.processorTime)
                let seconds = try await Measure.seconds {
                    try await notifications.send(through: client, concurrency: connections * streams)
                }
                let (sender, server1) = (CPUTime.own - own, server.processorTime)
                let children = CPUTime.children
                let rate = try yardstick?.run(scale.notifications, connections: connections, streams: streams)
                guard repetition > 0 else { continue }
                ours.add(count, seconds: seconds, sender: sender, server: server1 - server0)
                guard let rate else { continue }
                theirs.add(
                    count, seconds: Double(count) / rate, sender: CPUTime.children - children,
                    server: server.processorTime - server1)
            }
            group.cancelAll()
        }
        let name = yardstick == nil ? "h2load is not installed" : "h2load"
        func row(_ what: String, _ unit: String, _ figure: (SendFigures) -> Samples) -> Row {
            Row(what, figure(ours), unit, against: name, yardstick == nil ? nil : figure(theirs))
        }
        let shape = "\(connections) connection\(connections == 1 ? "" : "s"), \(streams) streams"
        return [
            row("send over TLS, \(shape)", "pushes/s") { $0.rate },
            row("  its sender's processor time", "µs/push") { $0.senderTime },
            row("  its server's processor time", "µs/push") { $0.serverTime },
        ]
    }
}
