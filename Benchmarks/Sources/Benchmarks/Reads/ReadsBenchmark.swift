import Foundation
import KasiaProtocol
import Kaspa
import Store

/// What apps fetch, asked of the real service over HTTP, out of a store with millions of operations.
///
/// The yardstick is `/health` by the same client on the same connections: what HTTP itself costs.
struct ReadsBenchmark: Benchmark {
    static let name = "reads"
    private static let perStep = 5_000
    private static let connections = 16
    private static let paths = 2_000
    /// Every so many operations belong to one very busy pair of addresses.
    private static let busyShare = 10
    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        guard let wrk = try Wrk() else {
            return [Row("reads over HTTP", Samples(), "requests/s", against: "wrk is not installed", nil)]
        }
        let directory = try TemporaryDirectory()
        let path = scale.keptStore ?? directory.file("store")
        let isFilled = FileManager.default.fileExists(atPath: path)
        let seconds = isFilled ? nil : try await fill(path)
        let node = try ChildProcess("kaspad-replay", in: scale.executables, [scale.recording, "--port", "0"])
        defer { node.end() }
        guard let url = try node.firstLine().split(separator: " ").last else {
            throw BenchmarkError("kaspad-replay did not say where it listens.")
        }
        // Without the limit of one address' reading time, which wrk uses up at once.
        let service = try ServiceProcess(
            in: scale.executables, store: path, node: String(url), environment: ["HTTP_RATE_LIMIT_PER_MINUTE": "0"])
        defer { service.end() }
        let port = service.port
        try await service.answers("/health", within: .seconds(300))
        var rows: [Row] = []
        for (name, paths) in calls() {
            var (rate, p99, yardstick) = (Samples(), Samples(), Samples())
            for repetition in 0...scale.repetitions {
                let ours = try wrk.run(paths, port: port, seconds: scale.readSeconds, connections: Self.connections)
                let health = try wrk.run(
                    ["/health"], port: port, seconds: scale.readSeconds, connections: Self.connections)
                // The first turn warms up.
                guard repetition > 0 else { continue }
                rate.add(ours.requestsPerSecond)
                p99.add(ours.p99)
                yardstick.add(health.requestsPerSecond)
            }
            rows.append(Row(name, rate, "requests/s", against: "/health", yardstick))
            rows.append(Row(name + ", p99", p99, "ms"))
        }
        let size = "\(Figure.text(Double(scale.readOperations))) operations"
        if let seconds {
            let rate = Samples([Double(scale.readOperations) / seconds])
            rows.append(Row("filling it, by apply, \(size)", rate, "operations/s"))
        }
        if let memory = PeakMemory.resident(of: service.processID) {
            rows.append(Row("resident while reading, \(size)", Samples([memory]), "MB"))
        }
        return rows
    }

    // MARK: The store

    private static let kinds: [(OperationKind, String)] = [
        (.contextualMessage, "comm:alias:"), (.payment, "payment:"), (.handshake, "handshake:"),
        (.contextualMessage, "comm:other:"), (.selfStash, "self_stash:box:"), (.broadcast, "bcast:news:"),
    ]

    private static func id(_ index: Int) -> TransactionID {
        var random = SplitMix64(seed: UInt64(index) | 1 << 42)
        return Hash(bytes: random.bytes(32)) ?? .zero
    }

    /// Addresses have about two hundred operations each, apart from the busy pair.
    private func people(_ index: Int) -> (sender: Address, receiver: Address) {
        guard !index.isMultiple(of: Self.busyShare) else { return (busy.sender, busy.receiver) }
        var random = SplitMix64(seed: UInt64(index))
        let count = UInt64(max(2, scale.readOperations / 200))
        return (
            WatchPopulation.address(1 << 50 | random.next() % count),
            WatchPopulation.address(1 << 51 | random.next() % count)
        )
    }

    private var busy: (sender: Address, receiver: Address) {
        (WatchPopulation.address(1 << 52), WatchPopulation.address(1 << 53))
    }

    /// Operations in the order of their acceptance, one chain block for each step; the time it took.
    private func fill(_ path: String) async throws -> Double {
        let store = try Store(path: path, network: .mainnet)
        let body = String(repeating: "6", count: 240)
        return try await Measure.seconds {
            for start in stride(from: 0, to: scale.readOperations, by: Self.perStep) {
                let block = Self.id(start | 1 << 40)
                let score = UInt64(start / Self.perStep + 1)
                let end = min(start + Self.perStep, scale.readOperations)
                let accepted = (start..<end).map { index in
                    let (kind, prefix) = Self.kinds[index / Self.busyShare % Self.kinds.count]
                    let (sender, receiver) = people(index)
                    let pays = kind.paysReceiver
                    let operation = OperationRecord(
                        transactionID: Self.id(index), kind: kind, sender: sender, receiver: pays ? receiver : nil,
                        amount: pays ? 1 : 0, blockHash: block, blockTime: UInt64(index / 3),
                        acceptance: .init(blockHash: block, daaScore: score, blueScore: score), acceptedAt: score,
                        payload: Array("ciph_msg:1:\(prefix)\(body)".utf8))
                    return AcceptedOperation(operation: operation, notifies: false)
                }
                let cursor = ChainCursor(blockHash: block, daaScore: score, blueScore: score, timestamp: score)
                _ = try await store.history.apply(
                    ChainStep(removed: [], accepted: accepted, cursor: cursor), now: 1, withdrawsUnsent: false)
                if (start / Self.perStep).isMultiple(of: 100) { Terminal.progress("\(start) operations …") }
            }
            try await store.sync()
        }
    }

    // MARK: The calls

    private func calls() -> [(name: String, paths: [String])] {
        var random = SplitMix64(seed: 7)
        func indices() -> [Int] {
            (0..<Self.paths).map { _ in Int.random(in: 0..<scale.readOperations, using: &random) }
        }
        func each(_ path: (Int) -> String) -> [String] { indices().map(path) }
        let time = scale.readOperations / 6
        return [
            ("GET /v1/messages/{tx_id}", each { "/v1/messages/\(Self.id($0))" }),
            ("GET /payments/by-receiver, 10 items", each { "/payments/by-receiver?address=\(people($0).receiver)" }),
            ("GET /handshakes/by-sender, 10 items", each { "/handshakes/by-sender?address=\(people($0).sender)" }),
            (
                "GET /contextual-messages/by-sender, 50 items",
                each { "/contextual-messages/by-sender?address=\(people($0).sender)&limit=50" }
            ),
            ("GET /self-stash/by-owner, 10 items", each { "/self-stash/by-owner?owner=\(people($0).sender)" }),
            (
                "GET /broadcasts/by-channel, 10 items, anywhere",
                each { "/broadcasts/by-channel?channel=news&block_time=\($0 / 3)" }
            ),
            ("GET /v1/activity, 50 items of some 200", each { "/v1/activity?address=\(people($0).sender)" }),
            (
                "GET /v1/activity, 50 items of a tenth of all, anywhere",
                each { "/v1/activity?address=\(busy.sender)&until=\($0 / 3)" }
            ),
            (
                "GET /v1/activity, 50 payments of a tenth of all, from the middle",
                ["/v1/activity?address=\(busy.receiver)&types=payment&until=\(time)"]
            ),
        ]
    }
}
