import Foundation
import Kaspa
import Store

/// Catching up after downtime with everything real: the executable, gRPC, the replay node, the store and its fsyncs.
///
/// The service has followed the node's first blocks and was stopped in order; then the node has played the rest.
/// Measured is the time from the first transactions to the last, and what the process has in memory at most. The
/// yardstick receives the same answers, one after another, and drops them. Both share the cores with the node, which
/// builds every answer anew.
struct CatchUpOverGRPCBenchmark: Benchmark {
    static let name = "grpc"
    private static let transactionsPerBlock = 300
    private static let patience = Duration.seconds(300)
    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let directory = try TemporaryDirectory()
        let (recording, store) = (directory.file("recording"), directory.file("store"))
        try generate(recording)
        _ = try await RegisteredStore.fill(store, devices: scale.startDevices)
        let port = try HTTPProbe.freePort()
        try await followFirstBlocks(of: recording, store, port)
        try await leaveInOrder(store)
        let node = try node(recording, port, speed: "max")
        defer { node.end() }
        let reader = NodeReader(port: port)
        let chain = try await playedOut(reader, from: try await start(of: store))
        var (ours, yardstick, memory) = (Samples(), Samples(), Samples())
        for repetition in 0...scale.repetitions {
            let copy = directory.file("copy")
            try FileManager.default.copyItem(atPath: store, toPath: copy)
            let turn = try await catchUp(copy, port, chain)
            try FileManager.default.removeItem(atPath: copy)
            let seconds = try await reader.drop(chain)
            guard repetition > 0 else { continue }
            ours.add(turn.rate)
            memory.add(turn.megabytes)
            yardstick.add(Double(chain.transactions) / seconds)
        }
        let (count, megabytes) = (Figure.text(Double(chain.transactions)), Figure.text(Double(chain.bytes) / 1e6))
        let devices = "\(Figure.text(Double(scale.startDevices))) devices of \(WatchPopulation.addressesPerDevice)"
        return [
            Row(
                "catch up over gRPC, \(count) transactions (\(megabytes) MB), 1 % ours", ours, "transactions/s",
                against: "the same answers received and dropped", yardstick),
            Row("  most resident meanwhile, \(devices) addresses", memory, "MB"),
        ]
    }

    private func generate(_ recording: String) throws {
        let generator = try ChildProcess(
            "kaspad-replay", in: scale.executables,
            [
                "generate", recording, "--blocks", "\(scale.missedBlocks)", "--wallets", "200",
                "--transactions-per-block", "\(Self.transactionsPerBlock)", "--operation-share", "0.01",
                "--reorganisation-rate", "0",
            ])
        guard generator.finished() else { throw BenchmarkError("kaspad-replay did not generate a network.") }
    }

    private func node(_ recording: String, _ port: UInt16, speed: String) throws -> ChildProcess {
        let node = try ChildProcess(
            "kaspad-replay", in: scale.executables, [recording, "--port", "\(port)", "--speed", speed, "--move-times"])
        _ = try node.firstLine()
        return node
    }

    private func service(_ store: String, _ port: UInt16) throws -> ServiceProcess {
        try ServiceProcess(in: scale.executables, store: store, nodePort: port)
    }

    /// Leaves the store as after a stop soon after the network's begin.
    private func followFirstBlocks(of recording: String, _ store: String, _ port: UInt16) async throws {
        let node = try node(recording, port, speed: "1")
        defer { node.end() }
        let service = try service(store, port)
        defer { service.end() }
        try await service.answers("/ready", within: Self.patience)
        let begin = ContinuousClock.now
        while ServiceMetrics(LocalHTTP(port: service.port)).sum("kasia_virtual_chain_daa_score") == 0 {
            guard ContinuousClock.now - begin < Self.patience else {
                throw BenchmarkError("The service follows nobody.")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// What a service of some days leaves when it is stopped in order: the one above ran too short to have read its
    /// index, or for RocksDB to have tidied up after so many registrations at once.
    private func leaveInOrder(_ path: String) async throws {
        let store = try Store(path: path, network: .mainnet)
        for family in ColumnFamily.allCases { await store.compact(family) }
        try await store.registry.fillWatchedScripts()
        guard try await store.registry.keepWatchedScripts() else {
            throw BenchmarkError("The watch index was not kept.")
        }
    }

    private func start(of store: String) async throws -> BlockHash {
        let store = try Store(path: store, network: .mainnet, readOnly: true)
        guard let cursor = try await store.history.cursor() else {
            throw BenchmarkError("The service kept no place in the chain.")
        }
        return cursor.blockHash
    }

    /// The whole chain, as soon as the node has played all of it.
    private func playedOut(_ reader: NodeReader, from start: BlockHash) async throws -> NodeReader.Chain {
        let begin = ContinuousClock.now
        var chain = NodeReader.Chain()
        while ContinuousClock.now - begin < Self.patience {
            // Until it has played as far, the node does not know where to start.
            if let next = try? await reader.chain(from: start) {
                if next.transactions > 0, next.starts == chain.starts { return chain }
                chain = next
            }
            try await Task.sleep(for: .seconds(1))
        }
        throw BenchmarkError("The node does not play its recording to the end.")
    }

    /// One start after the downtime, ended when the chain's tip is reached.
    private func catchUp(
        _ store: String, _ port: UInt16, _ chain: NodeReader.Chain
    ) async throws -> (rate: Double, megabytes: Double) {
        let service = try service(store, port)
        defer { service.end() }
        try await service.answers("/health", within: Self.patience)
        let http = LocalHTTP(port: service.port)
        let begin = ContinuousClock.now
        var first: (time: ContinuousClock.Instant, count: Int)?
        while true {
            let count = chain.transactions(upTo: ServiceMetrics(http).sum("kasia_virtual_chain_daa_score"))
            let now = ContinuousClock.now
            if count >= chain.transactions {
                guard let first else { throw BenchmarkError("The service was too fast to be measured.") }
                let rate = Double(count - first.count) / ((now - first.time) / .seconds(1))
                return (rate, PeakMemory.most(of: service.processID) ?? 0)
            }
            if first == nil, count > 0 { first = (now, count) }
            guard now - begin < Self.patience else { throw BenchmarkError("The service does not catch up.") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
