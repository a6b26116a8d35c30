import Indexer
import Kaspa
import KaspaNode
import Store

/// Catching up after downtime: from the node's bytes in memory to kept transactions, and on to accepted rows and outbox.
///
/// The yardstick decodes the same bytes with swift-protobuf and does nothing else.
struct CatchUpBenchmark: Benchmark {
    static let name = "catch-up"
    private static let yardstick = "decode with swift-protobuf"
    private let scale: Scale
    private let watched = WatchedScripts()
    private static let now: UInt64 = 1_800_000_000_000

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let answers = ChainAnswers(answers: scale.chainAnswers, watched: watched, time: Self.now)
        let size = "\(Figure.text(Double(answers.transactionCount))) transactions, 1 % ours"
        var rows: [Row] = []
        for (what, filter) in filters {
            rows += try await measure("scan \(size), \(what)", answers, {}) { try scan(answers, filter) }
        }
        for (what, filter) in filters {
            rows += try await measure("… to accepted rows and outbox, \(what)", answers, FreshStore.init) {
                try await Self.index(answers, filter, $0.store, now: Self.now)
            }
        }
        return rows
    }

    private var filters: [(String, any ScriptFilter)] {
        [
            ("nothing watched", NoScripts()),
            ("\(Figure.text(Double(WatchedScripts.count))) addresses watched", watched),
        ]
    }

    /// Takes turns between ours and the yardstick; the first turn is not counted, nor is what `prepare` does.
    private func measure<Place>(
        _ what: String, _ answers: ChainAnswers, _ prepare: () throws -> Place, _ work: (Place) async throws -> Void
    ) async throws -> [Row] {
        var (ours, yardstick) = (Costs(), Costs())
        for repetition in 0...scale.repetitions {
            let place = try prepare()
            let (first, second) = (
                try await Costs.of { try await work(place) }, try await Costs.of { try decode(answers) }
            )
            guard repetition > 0 else { continue }
            ours.add(first)
            yardstick.add(second)
        }
        let (count, megabytes) = (Double(answers.transactionCount), Double(answers.byteCount) / 1e6)
        func row(_ what: String, _ unit: String, _ value: (Costs) -> Samples) -> Row {
            Row(what, value(ours), unit, against: Self.yardstick, value(yardstick))
        }
        return [
            row(what, "transactions/s") { $0.seconds.map { count / $0 } },
            row("  the same", "MB/s") { $0.seconds.map { megabytes / $0 } },
            row("  its processor time", "µs/transaction") { $0.processor.map { $0 / count * 1e6 } },
            row("  its peak memory above the bytes", "MB") { $0.memory },
        ]
    }

    private func decode(_ answers: ChainAnswers) throws {
        for response in answers.responses {
            let read = try response.withUnsafeBytes { try WireReading.whole.read($0) }
            guard read.passedOverTransactionCount == 0 else { throw BenchmarkError("The yardstick passed over some.") }
        }
    }

    private func scan(_ answers: ChainAnswers, _ filter: any ScriptFilter) throws {
        let reading = WireReading.ours(watching: filter)
        var passedOver = 0
        for response in answers.responses {
            passedOver += try response.withUnsafeBytes { try reading.read($0).passedOverTransactionCount }
        }
        let kept = answers.transactionCount - passedOver
        let expected = answers.transactionCount / ChainAnswers.oursEvery
        guard kept >= expected, kept <= expected * 10 else {
            throw BenchmarkError("Expected \(expected) transactions or some more, kept \(kept).")
        }
    }

    /// Into a fresh store, so that every transaction is new to it.
    static func index(
        _ answers: ChainAnswers, _ filter: any ScriptFilter, _ store: Store, now: UInt64
    ) async throws {
        let reading = WireReading.ours(watching: filter)
        var cursor = ChainCursor(blockHash: .zero, daaScore: 0, blueScore: 0, timestamp: 0)
        var accepted = 0
        for response in answers.responses {
            let read = try response.withUnsafeBytes { try reading.read($0) }
            guard let update = try read.virtualChainUpdate() else { throw BenchmarkError("Not an answer.") }
            let step = ChainStep(update, after: cursor, network: .mainnet, maximumAge: 86_400_000, now: now)
            accepted += try await store.history.apply(step, now: now, withdrawsUnsent: false).accepted
            cursor = step.cursor
        }
        // Group messages, one form in ten, name a key that is not the sender's: they are read and refused.
        guard accepted >= answers.oursCount * 8 / 10 else {
            throw BenchmarkError("Expected about \(answers.oursCount) accepted operations, found \(accepted).")
        }
    }
}

/// A store with nothing in it, gone with its files when nobody uses it.
private struct FreshStore {
    let store: Store
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store(path: directory.file("store"), network: .mainnet)
    }
}

/// What several repetitions of one work took.
private struct Costs {
    var seconds = Samples()
    var processor = Samples()
    var memory = Samples()

    static func of(_ work: () async throws -> Void) async throws -> Costs {
        let processor = CPUTime.own
        var seconds = 0.0
        let memory = try await PeakMemory.during { seconds = try await Measure.seconds(work) }
        return Costs(
            seconds: Samples([seconds]), processor: Samples([CPUTime.own - processor]),
            memory: Samples(memory.map { [$0] } ?? []))
    }

    mutating func add(_ other: Costs) {
        seconds.add(other.seconds.median)
        processor.add(other.processor.median)
        memory.add(other.memory.median)
    }
}

private struct NoScripts: ScriptFilter {
    var isEmpty: Bool { true }

    func mayContain(_ script: UnsafeRawBufferPointer) -> Bool { false }
}
