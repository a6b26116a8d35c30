import Clocks
import Foundation
import Kaspa
import KaspaNode
import Logging
import Spans
import Store
import StoreSupport
import Synchronization
import Testing

@testable import Indexer

/// A chain processor over a real store in a directory of its own, following a scripted node.
final class TestIndexer: Sendable {
    static let maximumAge: UInt64 = 600_000

    let node: ScriptedNode
    let store: Store
    let processor: VirtualChainProcessor
    let clock: Clock
    private let directory: TestDirectory

    /// What the processor takes for the time, and how often it said that something changed.
    final class Clock: Sendable {
        private let time = Mutex(epoch)
        private let wallError = Mutex<Int64>(0)
        let changes = Atomic<Int>(0)
        var now: UInt64 {
            get { time.withLock { $0 } }
            set { time.withLock { $0 = newValue } }
        }

        /// The machine's clocks: the time as it passes, and a wall clock that may be wrong.
        var machine: MachineClock {
            MachineClock(
                wall: { UInt64(max(0, Int64(self.now) + self.wallError.withLock { $0 })) }, uptime: { self.now })
        }

        /// Sets the wall clock so many milliseconds ahead of the time, or behind it.
        func setWall(ahead: Int64) { wallError.withLock { $0 = ahead } }
    }

    /// `continuing` is an indexer whose store is opened again, as after a restart.
    init(
        _ chain: [AcceptingBlock], start: ChainIndexing.Start = .pruningPoint, enqueuesEvents: Bool = true,
        withdrawsUnsent: Bool = false, directory: TestDirectory = TestDirectory(),
        origins: SpanOrigins<TransactionID>? = nil, clock serviceClock: ServiceClock? = nil,
        logger: Logger = quietLogger, limits: StoreLimits = StoreLimits(), conditions: StoreConditions? = nil,
        configure: (inout ChainIndexing) -> Void = { _ in }
    ) async throws {
        self.directory = directory
        let node = ScriptedNode(chain: chain)
        let clock = Clock()
        try await TestStores.untilClosed(directory.path)
        store = try TestStores.open(directory.path, limits: limits, conditions: conditions)
        var indexing = ChainIndexing(
            network: .mainnet, start: start, enqueuesEvents: enqueuesEvents, maximumAge: Self.maximumAge,
            withdrawsUnsent: withdrawsUnsent)
        configure(&indexing)
        processor = await VirtualChainProcessor(
            node: node, store: store, indexing: indexing,
            clock: serviceClock ?? ServiceClock(given: { clock.now }), logger: logger, origins: origins
        ) { clock.changes.add(1, ordering: .relaxed) }
        self.node = node
        self.clock = clock
    }

    var status: IndexerStatus.Snapshot { processor.status.snapshot }

    func operation(_ number: Int) async throws -> OperationRecord? {
        try await store.history.operation(hash(number, tag: 0x77))
    }

    /// The numbers of the transactions that became events, in order.
    func events() async throws -> [Int] {
        try await store.outbox.events(after: 0, limit: 1000).map { Int($0.transactionID.bytes[31]) }
    }

    /// Everything that the store holds about the chain, to compare before and after.
    func snapshot(_ numbers: Range<Int>) async throws -> [String] {
        try await numbers.inTurn { "\(String(describing: try await operation($0)))" }
            + [
                "\(String(describing: try await store.history.cursor()))", "\(try await store.totals())",
                "\(try await store.outbox.events(after: 0, limit: 1000))",
            ]
    }
}

extension Sequence {
    /// What `body` makes of each element, one after another.
    func inTurn<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}

/// A directory that goes when the last who uses it goes.
final class TestDirectory: Sendable {
    let path = NSTemporaryDirectory() + "/kasia-indexer-" + UUID().uuidString

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// Says nothing: the tests read the status.
let quietLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
