import Kaspa
import KasiaProtocol
import Store

/// What the slow walk over the history costs that `store.retention` needs: reading rows that stay, and removing others.
struct HistoryBenchmark: Benchmark {
    static let name = "history"
    private static let rowsPerSlice = 1_000
    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let directory = try TemporaryDirectory()
        let store = try Store(path: directory.file("store"), network: .mainnet)
        let count = scale.devices * 2
        try await fill(store, count)
        var (reading, removing) = (Samples(), Samples())
        var limits = HistoryLimits()
        limits.queuedBefore = .max
        for _ in 0..<scale.repetitions { reading.add(try await round(store, limits, removes: 0)) }
        limits.bodiesBefore = .max
        removing.add(try await round(store, limits, removes: count))
        let size = "\(Figure.text(Double(count))) operations"
        return [
            Row("walk over \(size), nothing goes", reading, "operations/s"),
            Row("walk over \(size), all go", removing, "operations/s"),
        ]
    }

    private func fill(_ store: Store, _ count: Int) async throws {
        let payload = Array("ciph_msg:1:comm:alias:".utf8) + [UInt8](repeating: 0x61, count: 120)
        for start in stride(from: 0, to: count, by: Self.rowsPerSlice) {
            let accepted = (start..<min(start + Self.rowsPerSlice, count)).map { index in
                var random = SplitMix64(seed: UInt64(index) | 1 << 41)
                let id = Hash(bytes: random.bytes(32)) ?? .zero
                let operation = OperationRecord(
                    transactionID: id, kind: .contextualMessage,
                    sender: WatchPopulation.address(UInt64(index / 100)), receiver: nil, amount: 0, blockHash: id,
                    blockTime: UInt64(index + 1),
                    acceptance: OperationRecord.Acceptance(blockHash: id, daaScore: 1, blueScore: 1), payload: payload)
                return AcceptedOperation(operation: operation, notifies: false)
            }
            let cursor = ChainCursor(blockHash: .zero, daaScore: 1, blueScore: 1, timestamp: 1)
            _ = try await store.history.apply(
                ChainStep(removed: [], accepted: accepted, cursor: cursor), now: 1, withdrawsUnsent: false)
        }
    }

    /// Operations a second in one round, without the pauses that the service makes.
    private func round(_ store: Store, _ limits: HistoryLimits, removes expected: Int) async throws -> Double {
        var sum = HistoryStep()
        let seconds = try await Measure.seconds {
            var place: HistoryPlace? = .start
            while let next = place {
                let step = try await store.history.forgetHistory(limits, at: next, rows: Self.rowsPerSlice)
                sum.add(step)
                place = step.next
            }
        }
        guard sum.operations == expected else {
            throw BenchmarkError("Expected \(expected) operations to go, \(sum.operations) went.")
        }
        return Double(scale.devices * 2) / seconds
    }
}
