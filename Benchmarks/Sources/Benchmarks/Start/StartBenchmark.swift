import Foundation
import Kaspa
import Store

/// The real service's start on a store with many registrations, and what it holds in memory when nothing happens.
///
/// Each device has twenty addresses, five of them watched for funds: the start reads those into memory. A replay node
/// stands in for kaspad, since nothing is ready without one. The files of the store are in the page cache.
struct StartBenchmark: Benchmark {
    static let name = "start"
    private static let idle = Duration.seconds(10)
    private static let patience = Duration.seconds(600)
    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let directory = try TemporaryDirectory()
        let seconds = try await RegisteredStore.fill(directory.file("store"), devices: scale.startDevices)
        let node = try ChildProcess("kaspad-replay", in: scale.executables, [scale.recording, "--port", "0"])
        defer { node.end() }
        guard let url = try node.firstLine().split(separator: " ").last else {
            throw BenchmarkError("kaspad-replay did not say where it listens.")
        }
        var (health, ready, memory) = (Samples(), Samples(), Samples())
        for _ in 0..<scale.repetitions {
            let start = try await start(on: directory.file("store"), node: String(url))
            health.add(start.health)
            ready.add(start.ready)
            memory.add(start.megabytes)
        }
        let size =
            "\(Figure.text(Double(scale.startDevices))) devices of \(WatchPopulation.addressesPerDevice) addresses"
        let bytes = try FileManager.default.subpathsOfDirectory(atPath: directory.file("store")).reduce(0.0) {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.file("store") + "/" + $1)
            return $0 + ((attributes[.size] as? NSNumber)?.doubleValue ?? 0)
        }
        return [
            Row("start to /health, \(size)", health, "s"), Row("start to /ready, \(size)", ready, "s"),
            Row("resident when idle, \(size)", memory, "MB"),
            Row("store on disk, \(size)", Samples([bytes / 1e6]), "MB"),
            Row("filling it, by upsertDevice", Samples([Double(scale.startDevices) / seconds]), "devices/s"),
        ]
    }

    /// One start in a process of its own, ended again.
    private func start(
        on path: String, node: String
    ) async throws -> (health: Double, ready: Double, megabytes: Double) {
        let service = try ServiceProcess(in: scale.executables, store: path, node: node, logLevel: "error")
        defer { service.end() }
        let health = try await service.answers("/health", within: Self.patience)
        let ready = try await service.answers("/ready", within: Self.patience)
        try await Task.sleep(for: Self.idle)
        return (health, ready, PeakMemory.resident(of: service.processID) ?? 0)
    }
}
