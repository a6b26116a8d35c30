import Clocks
import KasiaProtocol
import Kaspa
import Logging
import SampleOperations
import Store
import Testing

@testable import KasiaPushIndexer

@Suite("HistoryPruner", .timeLimit(.minutes(5)))
struct HistoryPrunerTests {
    private let directory: TemporaryDirectory
    private let store: Store
    private let day: UInt64 = 86_400_000

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store(path: directory.path + "/store", network: .mainnet)
    }

    private func keeper(retention: Duration?, now: UInt64) -> HistoryPruner {
        var pace = HistoryPruner.Pace()
        pace.rowsPerSlice = 2
        pace.pause = .zero
        return HistoryPruner(
            store: store, retention: retention, maximumAge: .seconds(86_400), pace: pace,
            clock: ServiceClock(given: { now }), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Messages of 10 days, one a day, accepted in order.
    private func fill() async throws {
        for number in 1...10 {
            let hash = Hash(bytes: [UInt8](repeating: UInt8(number), count: 32)) ?? .zero
            let score = UInt64(number) * 864_000
            let operation = OperationRecord(
                transactionID: hash, kind: .contextualMessage, sender: nil, receiver: nil, amount: 0,
                blockHash: hash, blockTime: UInt64(number) * day,
                acceptance: .init(blockHash: hash, daaScore: score, blueScore: score),
                payload: Array("ciph_msg:1:comm:a:b".utf8))
            _ = try await store.history.apply(
                ChainStep(
                    removed: [], accepted: [AcceptedOperation(operation: operation, notifies: false)],
                    cursor: ChainCursor(
                        blockHash: hash, daaScore: score, blueScore: score, timestamp: UInt64(number) * day)),
                now: UInt64(number) * day, withdrawsUnsent: false)
        }
    }

    private func rows(_ family: ColumnFamily) throws -> UInt64 { try store.checkBooks().rows[family] ?? 0 }

    @Test("A round forgets what is older than the retention, and acceptances out of reach; without one, only those")
    func round() async throws {
        try await keeper(retention: nil, now: 10 * day).round()
        try await fill()
        try await keeper(retention: nil, now: 10 * day).round()
        #expect(try rows(.operations) == 10)
        // A day is 864,000 in blue score: 1,200,000 are the last day and what is younger than a day and a half.
        #expect(try rows(.accepted) == 2)
        try await keeper(retention: .seconds(3 * 86_400), now: 10 * day).round()
        #expect(try rows(.operations) == 4)
        #expect(try store.checkBooks().problems == [])
    }

    @Test("It runs beside the service until it is stopped")
    func run() async throws {
        try await fill()
        let keeper = keeper(retention: .seconds(86_400), now: 10 * day)
        let task = Task { try await keeper.run() }
        while try rows(.operations) > 2 { await Task.yield() }
        task.cancel()
        try await task.value
        #expect(try rows(.operations) == 2)
    }
}
