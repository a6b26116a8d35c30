import APNs

/// Senders that take notifications out of memory and keep nothing.
final class SendYardsticks {
    private(set) var loop = SendFigures()
    private(set) var frames = SendFigures()
    private(set) var client = SendFigures()
    private(set) var asyncHTTPClient = SendFigures()
    /// nil: it is not installed.
    private(set) var h2load: Samples?

    private let server: SandboxProcess
    private let streams: Int
    private let bodyBytes: Int
    private let curlLoop: CurlLoopYardstick
    private let frameLoop: FrameLoopYardstick
    private let swiftClient: AsyncHTTPClientYardstick
    private let loadGenerator: H2Load?

    init(_ server: SandboxProcess, streams: Int, bodyBytes: Int) async throws {
        self.server = server
        self.streams = streams
        self.bodyBytes = bodyBytes
        curlLoop = try await CurlLoopYardstick(server: server, streams: streams, bodyBytes: bodyBytes)
        frameLoop = try await FrameLoopYardstick(server: server, streams: streams, bodyBytes: bodyBytes)
        swiftClient = try await AsyncHTTPClientYardstick(server: server)
        loadGenerator = try await H2Load(server: server, bodyBytes: bodyBytes)
        if loadGenerator != nil { h2load = Samples() }
    }

    func shutdown() async throws { try await swiftClient.shutdown() }

    /// Sends `count` notifications by each in turn.
    func send(_ count: Int, counts: Bool) async throws {
        let requests = Notifications(count, bodyBytes: bodyBytes)
        try await measure(&loop, count, counts) { try curlLoop.send(requests.requests) }
        try await measure(&frames, count, counts) { try frameLoop.send(requests.requests) }
        let ours = try server.makeClient(connections: 1, streams: streams)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await ours.run() }
            try await measure(&client, count, counts) {
                try await Measure.seconds { try await requests.send(through: ours, concurrency: 2 * streams) }
            }
            group.cancelAll()
        }
        try await measure(&asyncHTTPClient, count, counts) {
            try await swiftClient.send(requests.requests, concurrency: streams)
        }
        if let rate = try loadGenerator?.run(count, connections: 1, streams: streams), counts { h2load?.add(rate) }
    }

    private func measure(
        _ figures: inout SendFigures, _ count: Int, _ counts: Bool, _ send: () async throws -> Double
    ) async throws {
        let (own, server0) = (CPUTime.own, server.processorTime)
        let seconds = try await send()
        guard counts else { return }
        figures.add(
            count, seconds: seconds, sender: CPUTime.own - own, server: server.processorTime - server0)
    }
}
