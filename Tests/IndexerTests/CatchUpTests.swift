import Kaspa
import KaspaNode
import Metrics
import MetricsTestKit
import Store
import StoreSupport
import Synchronization
import Testing

@testable import Indexer

@Suite("Catching up", .timeLimit(.minutes(10)))
struct CatchUpTests {
    private func indexer(
        _ count: Int, tip: UInt64, batch: ChainBatch.Limits = .init(), waiting: UInt64 = 10_000
    ) async throws -> TestIndexer {
        let chain = [chainBlock(0)] + (1..<count).map { chainBlock($0, [message($0)]) }
        let indexer = try await TestIndexer(chain) {
            $0.nearTip = 0
            $0.batch = batch
            $0.maximumWaitingEvents = waiting
        }
        indexer.node.change {
            $0.batch = 3
            $0.virtualDAAScore = tip
        }
        return indexer
    }

    @Test("far from the tip, answers are put together until a limit", arguments: [1, 9, 10, 11, 1000])
    func batches(limit: Int) async throws {
        var limits = ChainBatch.Limits()
        limits.transactions = limit
        let indexer = try await indexer(100, tip: .max, batch: limits)
        await indexer.processor.catchUp()
        #expect(try await indexer.events() == Array(1..<100))
        for number in 1..<100 { #expect(try await indexer.operation(number)?.acceptance?.blockHash == hash(number)) }
        // Answers of three transactions each; 33 answers, a batch is closed at the first that reaches the limit.
        let perBatch = min((limit + 2) / 3, 33)
        #expect(indexer.clock.changes.load(ordering: .relaxed) == (33 + perBatch - 1) / perBatch)
        #expect(try indexer.store.checkBooks().isSound)
    }

    @Test("near the tip each answer is a batch of its own", arguments: [(1009, 1), (1010, 1), (1011, 2)])
    func near(tip: UInt64, answersInFirst: Int) async throws {
        let chain = emptyChain(0..<3)
        let indexer = try await TestIndexer(chain) { $0.nearTip = 0 }
        indexer.node.change {
            $0.batch = 1
            $0.virtualDAAScore = tip
        }
        _ = try await indexer.processor.advance()
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(answersInFirst))
        #expect(indexer.status.isCatchingUp == false)
    }

    @Test("bytes and chain blocks close a batch too")
    func otherLimits() async throws {
        for limits in [
            ChainBatch.Limits(transactions: .max, bytes: 1, blocks: .max),
            .init(transactions: .max, bytes: .max, blocks: 3),
        ] {
            let indexer = try await indexer(10, tip: .max, batch: limits)
            await indexer.processor.catchUp()
            #expect(indexer.clock.changes.load(ordering: .relaxed) == 3)
        }
    }

    @Test("a reorganisation between two answers of a batch leaves nothing of what was not written")
    func reorganizedInBetween() throws {
        func update(_ removed: [BlockHash], _ added: [AcceptingBlock]) -> VirtualChainUpdate {
            VirtualChainUpdate(removed: removed, added: added)
        }
        var batch = ChainBatch(
            update([hash(3), hash(2)], [chainBlock(2, branch: 1), chainBlock(3, branch: 1)]), limits: .init())
        // Takes back its own two and one below, and brings back an old one.
        var fits = batch.append(update([hash(3, tag: 1), hash(2, tag: 1)], [chainBlock(2), chainBlock(3, branch: 2)]))
        #expect(fits)
        #expect(batch.update.removed == [hash(3)])
        #expect(batch.update.added.map(\.header.hash) == [hash(3, tag: 2)])
        #expect(batch.end?.hash == hash(3, tag: 2))
        fits = batch.append(update([hash(3, tag: 2), hash(2), hash(1)], [chainBlock(1, branch: 4)]))
        #expect(fits)
        #expect(batch.update.removed == [hash(3), hash(2), hash(1)])
        #expect(batch.update.added.map(\.header.hash) == [hash(1, tag: 4)])
        fits = batch.append(update([hash(9)], []))
        #expect(!fits, "that is not where it stands")
        #expect(batch.update.added.map(\.header.hash) == [hash(1, tag: 4)])
    }

    @Test("answers that together only remove are not applied, and what follows is asked from the store's cursor")
    func removedTogether() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<2) + [chainBlock(2, [message(1)])]) { $0.nearTip = 0 }
        await indexer.processor.catchUp()
        // Far from the tip, so that the answers are joined.
        indexer.node.change {
            $0.virtualDAAScore = .max
            $0.scripted = [
                .success(VirtualChainUpdate(removed: [hash(2)], added: [chainBlock(2, branch: 1)])),
                .success(VirtualChainUpdate(removed: [hash(2, tag: 1), hash(1)], added: [])),
            ]
        }
        let before = try await indexer.snapshot(0..<3)
        #expect(try await indexer.processor.advance() == false)
        #expect(indexer.node.now.scripted.isEmpty)
        #expect(try await indexer.snapshot(0..<3) == before)
        let asked = indexer.node.now.asked.count
        indexer.node.change { $0.chain.append(chainBlock(3, [message(2)])) }
        await indexer.processor.catchUp()
        #expect(indexer.node.now.asked.dropFirst(asked).first == hash(2))
        #expect(try await indexer.operation(1)?.acceptance?.blockHash == hash(2))
        #expect(try await indexer.events() == [1, 2])
    }

    @Test("a batch of which an answer takes the upper part away goes on from what is left")
    func shortened() {
        var batch = ChainBatch(VirtualChainUpdate(removed: [], added: emptyChain(1..<4)), limits: .init())
        #expect(batch.end?.hash == hash(3))
        var fits = batch.append(VirtualChainUpdate(removed: [hash(3), hash(2)], added: []))
        #expect(fits && batch.end?.hash == hash(1))
        fits = batch.append(VirtualChainUpdate(removed: [hash(1), hash(0)], added: []))
        #expect(fits && batch.end == nil)
        #expect(batch.update.added.isEmpty && batch.update.removed == [hash(0)])
    }

    @Test("an error in the middle loses nothing, and is told when it is met again")
    func errorInBetween() async throws {
        let indexer = try await indexer(30, tip: .max)
        indexer.node.change { state in
            state.failsAfter = 4
        }
        await indexer.processor.catchUp()
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(12))
        #expect(indexer.status.nodeTrouble == "broken")
        indexer.node.change { $0.failsAfter = nil }
        await indexer.processor.catchUp()
        #expect(try await indexer.events() == Array(1..<30))
        #expect(indexer.status.nodeTrouble == nil)
    }

    @Test("more events than the limit stop the intake until the dispatcher has taken some", arguments: [8, 9, 10])
    func pressure(limit: UInt64) async throws {
        var limits = ChainBatch.Limits()
        limits.transactions = 1
        // The first three batches bring nine events.
        let indexer = try await indexer(31, tip: .max, batch: limits, waiting: limit)
        let following = Task { await indexer.processor.catchUp() }
        while !indexer.status.waitsForDispatcher { await Task.yield() }
        let waiting = try await indexer.store.totals().events
        #expect(waiting == (limit == 8 ? 9 : 12), "a batch at a time, and one more than the limit stops it")
        #expect(indexer.processor.status.sentence(at: epoch).contains("dispatcher"))
        var told = 0
        while told < 30 {
            for event in try await indexer.store.outbox.events(after: 0, limit: 4) {
                _ = try await indexer.store.outbox.fanOut(
                    event: event.number, lists: [], limit: 1, ordinaryWatchers: 0, now: epoch, expiresAt: epoch
                ) { _, _ in .skip }
                told += 1
            }
            await Task.yield()
        }
        await following.value
        #expect(!indexer.status.waitsForDispatcher)
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(30))
        #expect(try await indexer.store.outbox.books().eventsFannedOut == 30)
    }

    @Test("events that wait for confirmations do not stop the chain that confirms them")
    func pressureWithConfirmations() async throws {
        let chain = [chainBlock(0)] + (1..<31).map { chainBlock($0, [message($0)]) }
        let indexer = try await TestIndexer(chain, withdrawsUnsent: true) {
            $0.maximumWaitingEvents = 1
            $0.confirmations = 1_000_000
        }
        await indexer.processor.catchUp()
        #expect(try await indexer.events().count == 30)
    }

    @Test("blocks are left out until the tip is near")
    func blocks() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<3)) { $0.nearTip = 0 }
        let blocks = BlockProcessor(
            node: indexer.node, store: indexer.store, status: indexer.processor.status, logger: quietLogger)
        await blocks.process(Block(header: header(1), transactions: [message(1)]))
        indexer.node.change { $0.virtualDAAScore = 1021 }
        await indexer.processor.catchUp()
        #expect(indexer.status.isCatchingUp && indexer.status.progress?.behind == 1)
        await blocks.process(Block(header: header(1), transactions: [message(1)]))
        #expect(try await indexer.operation(1) == nil)
        indexer.node.change { $0.virtualDAAScore = 1020 }
        await indexer.processor.catchUp()
        #expect(!indexer.status.isCatchingUp && indexer.status.progress == nil)
        await blocks.process(Block(header: header(1), transactions: [message(1)]))
        #expect(try await indexer.operation(1) != nil)
    }

    @Test("a transaction counts as scanned where it is read: in blocks at the tip, in the chain while that is far")
    func scannedTransactions() async throws {
        let metrics = TestMetrics()
        let chain = [chainBlock(0)] + (1..<7).map { chainBlock($0, [message($0)]) }
        try await withMetricsFactory(metrics) {
            let indexer = try await TestIndexer(chain, withdrawsUnsent: true) { $0.nearTip = 0 }
            let blocks = BlockProcessor(
                node: indexer.node, store: indexer.store, status: indexer.processor.status, logger: quietLogger)
            let scanned = try metrics.expectCounter("kasia_transactions_scanned_total")
            indexer.node.change { $0.virtualDAAScore = .max }
            await indexer.processor.catchUp()
            await blocks.process(Block(header: header(7), transactions: [message(7)]))
            #expect(scanned.totalValue == 6)
            indexer.node.change {
                $0.virtualDAAScore = 0
                $0.chain.append(chainBlock(7, [message(7)]))
            }
            // The last of what was missed, and then the tip.
            await indexer.processor.catchUp()
            #expect(scanned.totalValue == 7 && !indexer.status.isCatchingUp)
            await blocks.process(Block(header: header(8), transactions: [message(8), message(9)]))
            #expect(scanned.totalValue == 9)
            indexer.node.change { $0.chain.append(chainBlock(8, [message(8), message(9)])) }
            await indexer.processor.catchUp()
            #expect(scanned.totalValue == 9)
        }
    }

    @Test("progress is told at most every ten seconds, with the rate since the last time")
    func progress() {
        var meter = ProgressMeter()
        func record(_ score: UInt64, _ time: UInt64) -> (CatchUpProgress, Bool) {
            let (progress, isTold) = meter.record(score: score, of: 100_000, at: time)
            return (progress, isTold)
        }
        #expect(record(0, 1000) == (CatchUpProgress(behind: 100_000, rate: nil), false))
        #expect(record(5000, 6000) == (CatchUpProgress(behind: 95_000, rate: 1000), false))
        #expect(record(9999, 10_999) == (CatchUpProgress(behind: 90_001, rate: 1000), false))
        #expect(record(20_000, 11_000) == (CatchUpProgress(behind: 80_000, rate: 2000), true))
        #expect(CatchUpProgress(behind: 80_000, rate: 2000).secondsLeft == 40)
        #expect(record(20_001, 11_001).1 == false)
        #expect(record(10, 30_000) == (CatchUpProgress(behind: 99_990, rate: nil), false), "begun anew")
        #expect(record(10, 50_000) == (CatchUpProgress(behind: 99_990, rate: 0), true))
        #expect(CatchUpProgress(behind: 1, rate: 0).secondsLeft == nil)
        #expect(record(200_000, 50_001).0.behind == 0)
    }

    @Test("a gap is counted under its name, and for one version under the old one")
    func gapMetric() async throws {
        let metrics = TestMetrics()
        try await withMetricsFactory(metrics) {
            let indexer = try await TestIndexer([chainBlock(0), chainBlock(1)])
            await indexer.processor.catchUp()
            indexer.node.change { $0.chain = emptyChain(7..<9) }
            await indexer.processor.catchUp()
            for name in ["kasia_gaps", "kasia_gaps_total"] {
                #expect(try metrics.expectGauge(name).lastValue == 1, "\(name)")
            }
        }
    }

    @Test("a gap is remembered over a restart, and shown for an hour", arguments: [-1, 0, 1])
    func gap(excess: Int) async throws {
        let directory = TestDirectory()
        do {
            let indexer = try await TestIndexer([chainBlock(0), chainBlock(1)], directory: directory)
            await indexer.processor.catchUp()
            indexer.node.change { $0.chain = emptyChain(7..<9) }
            await indexer.processor.catchUp()
            #expect(indexer.status.gaps == 1)
        }
        let indexer = try await TestIndexer(emptyChain(7..<9), directory: directory)
        #expect(
            indexer.status.lastGap == ChainGap(fromDAAScore: 1010, toDAAScore: 1070, foundAt: epoch, count: 1))
        let sentence = indexer.processor.status.sentence(at: UInt64(Int(epoch + 3_600_000) + excess))
        #expect(sentence.contains("1010 and 1070") == (excess < 0), "\(sentence)")
        indexer.node.change { $0.chain = emptyChain(20..<22) }
        await indexer.processor.catchUp()
        #expect(indexer.status.gaps == 2 && indexer.status.lastGap?.fromDAAScore == 1080)
    }
}
