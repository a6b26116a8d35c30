import Foundation

/// One address's changes, handed to very many streams of the real service, from a replayed network.
///
/// All readers look at the address that the recording is busiest with. Measured is how much later than the first reader
/// the others have an event, which is the time that the fan-out takes.
struct StreamsBenchmark: Benchmark {
    static let name = "streams"
    private static let address = "kaspa:qz7w7fuz6mdgnp2hx2ytryle2s738uwn66pcdelnvyfcsh8yywp45z8k7603m"
    private static let speed = "20"
    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        var (median, p99, all) = (Samples(), Samples(), Samples())
        var events = 0
        for _ in 0..<scale.repetitions {
            let spread = try await measure()
            median.add(spread.quantile(0.5))
            p99.add(spread.quantile(0.99))
            all.add(spread.quantile(1))
            events = spread.events
        }
        let what = "an event at \(scale.readers) readers, after the first of them"
        return [
            Row("\(what), p50 of \(events) events", median, "ms"), Row("\(what), p99", p99, "ms"),
            Row("\(what), the last", all, "ms"),
        ]
    }

    private func measure() async throws -> ReaderCrowd.Spread {
        let directory = try TemporaryDirectory()
        let nodePort = try HTTPProbe.freePort()
        let service = try ServiceProcess(
            in: scale.executables, store: directory.file("store"), nodePort: nodePort,
            environment: [
                "HTTP_MAX_CONNECTIONS": "\(scale.readers + 100)", "HTTP_MAX_STREAMS": "\(scale.readers)",
            ])
        defer { service.end() }
        try await service.answers("/health", within: .seconds(60))
        let crowd = try ReaderCrowd(
            scale.readers, of: "/v1/activity/stream?address=\(Self.address)", port: service.port)
        // The network begins when everybody listens.
        let node = try ChildProcess(
            "kaspad-replay", in: scale.executables,
            [scale.recording, "--port", "\(nodePort)", "--speed", Self.speed, "--move-times"])
        defer { node.end() }
        return try crowd.listen()
    }
}
