import Clocks
import KasiaProtocol
import Kaspa
import KaspaNode
import SampleOperations
import Store
import Synchronization
import Testing

@testable import Indexer

@Suite("VirtualChainProcessor")
struct VirtualChainProcessorTests {
    @Test("a fresh store starts at the pruning point and reads everything after it")
    func firstStartAtPruningPoint() async throws {
        let indexer = try await TestIndexer([chainBlock(0, [message(1)]), chainBlock(1, [message(2)]), chainBlock(2)])
        await indexer.processor.catchUp()
        #expect(try await indexer.operation(1) == nil, "what the pruning point accepted lies before the start")
        #expect(try await indexer.operation(2)?.acceptance?.blockHash == hash(1))
        #expect(
            try await indexer.store.history.cursor()
                == ChainCursor(
                    blockHash: hash(2), daaScore: 1020, blueScore: 516, timestamp: epoch + 2000))
        #expect(indexer.status.blockHash == hash(2) && indexer.status.daaScore == 1020)
        #expect(indexer.status.blockTime == epoch + 2000 && indexer.status.gaps == 0)
    }

    @Test("a fresh store starts at the sink if it is told so, and reads what comes next")
    func firstStartAtSink() async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1)])], start: .sink)
        await indexer.processor.catchUp()
        #expect(try await indexer.operation(1) == nil)
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(1))
        indexer.node.change { $0.chain.append(chainBlock(2, [message(2)])) }
        await indexer.processor.catchUp()
        #expect(try await indexer.operation(2) != nil)
    }

    @Test("an accepted message is stored whole, and becomes one event in the same step")
    func acceptance() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<1))
        let payment = transaction(
            5, "kchat:1:pay:{}", from: .alice, to: [(.alice, 7), (.bob, 30), (.bob, 12), (.carol, 1)], time: epoch + 400
        )
        indexer.node.change { $0.chain.append(chainBlock(1, [payment])) }
        indexer.clock.now = epoch + 3000
        await indexer.processor.catchUp()
        let record = try await #require(try indexer.operation(5))
        #expect(
            record
                == OperationRecord(
                    transactionID: payment.id, kind: .payment, sender: Person.alice.address,
                    receiver: Person.bob.address,
                    amount: 42, blockHash: hash(5, tag: 0xBB), blockTime: epoch + 400,
                    acceptance: .init(blockHash: hash(1), daaScore: 1010, blueScore: 508), acceptedAt: epoch + 1000,
                    fee: 950, payload: payment.payload))
        let event = try #require(try await indexer.store.outbox.events(after: 0, limit: 9).first)
        #expect(event.transactionID == payment.id && event.kind == .payment && event.amount == 42)
        #expect(event.sender == Person.alice.address && event.receiver == Person.bob.address)
        #expect(
            event.acceptance == record.acceptance && event.queuedAt == epoch + 3000 && event.blockTime == epoch + 400)
        #expect(indexer.clock.changes.load(ordering: .relaxed) == 1)
    }

    @Test("catching up takes as many answers as it needs, each from the last added block", arguments: [1, 3, 10, 100])
    func batches(size: Int) async throws {
        let count = 100
        let chain = [chainBlock(0)] + (1..<count).map { chainBlock($0, [message($0)]) }
        let indexer = try await TestIndexer(chain)
        indexer.node.change { $0.batch = size }
        await indexer.processor.catchUp()
        for number in 1..<count { #expect(try await indexer.operation(number)?.acceptance?.blockHash == hash(number)) }
        #expect(try await indexer.events() == Array(1..<count))
        var expected = stride(from: 0, to: count - 1, by: size).map { hash($0) }
        expected.append(hash(count - 1))
        #expect(indexer.node.now.asked == expected)
    }

    @Test("a restart goes on where the store stands, whatever the start setting says")
    func resume() async throws {
        let directory = TestDirectory()
        do {
            let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1)])], directory: directory)
            await indexer.processor.catchUp()
        }
        let chain = [chainBlock(0), chainBlock(1, [message(1)]), chainBlock(2, [message(2)]), chainBlock(3)]
        let indexer = try await TestIndexer(chain, start: .sink, directory: directory)
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(1))
        await indexer.processor.catchUp()
        #expect(indexer.node.now.asked == [hash(1), hash(3)])
        #expect(try await indexer.operation(2) != nil)
        #expect(try await indexer.events() == [1, 2])
    }

    @Test("the same answer twice changes nothing the second time")
    func sameAnswerTwice() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<1))
        let added = [
            chainBlock(1, [message(1), groupMessage(2, claimed: .alice, from: .alice)]), chainBlock(2, [message(3)]),
        ]
        let update = VirtualChainUpdate(removed: [hash(9, tag: 9)], added: added)
        indexer.node.change { $0.scripted = [.success(update)] }
        #expect(try await indexer.processor.advance())
        let before = try await indexer.snapshot(0..<5)
        indexer.node.change { $0.scripted = [.success(update)] }
        #expect(try await indexer.processor.advance() == false, "it leads to where we are")
        #expect(try await indexer.snapshot(0..<5) == before)
        #expect(try await indexer.events() == [1, 2, 3])
    }

    @Test("a node that always adds the same block is not asked without end", .timeLimit(.minutes(5)))
    func stubbornNode() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<1))
        let update = VirtualChainUpdate(removed: [], added: [chainBlock(1, [message(1)])])
        indexer.node.change { $0.scripted = Array(repeating: .success(update), count: 100) }
        await indexer.processor.catchUp()
        #expect(indexer.node.now.asked.count == 2)
    }

    @Test("nothing of ours costs no row, and yet moves the cursor")
    func nothingOfOurs() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<1))
        let others = [
            transaction(1, "", from: .alice), transaction(2, "ciph_msg", from: .alice),
            transaction(3, "ciph_msg:", from: .alice), transaction(4, "hello", from: .bob),
            transaction(5, "ciph_msg:1:nonsense", from: .bob), transaction(6, "ciph_msg:1:gcomm:x", from: .bob),
        ]
        indexer.node.change { $0.chain.append(chainBlock(1, others)) }
        await indexer.processor.catchUp()
        for number in 1...6 { #expect(try await indexer.operation(number) == nil) }
        #expect(try await indexer.events().isEmpty)
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(1))
    }

    @Test("a coinbase has no writer: its payload is ignored, in chain answers and in blocks")
    func coinbase() async throws {
        let coinbase = transaction(1, "ciph_msg:1:comm:a:b", from: nil, to: [(.bob, 5)], isCoinbase: true)
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [coinbase])])
        await BlockProcessor(node: indexer.node, store: indexer.store, logger: quietLogger).process(
            Block(header: header(1), transactions: [coinbase]))
        await indexer.processor.catchUp()
        #expect(try await indexer.operation(1) == nil)
        #expect(try await indexer.events().isEmpty)
        #expect(indexer.node.now.askedSenders.isEmpty)
    }

    @Test("while pushes are off nothing is enqueued, and everything is stored")
    func pushesOff() async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1)])], enqueuesEvents: false)
        await indexer.processor.catchUp()
        #expect(try await indexer.operation(1)?.acceptance != nil)
        #expect(try await indexer.store.totals().events == 0)
    }

    @Test("what is older than the maximum age is stored and not pushed", arguments: [-1, 0, 1])
    func age(excess: Int) async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1, time: epoch + 500)])])
        indexer.clock.now = UInt64(Int(epoch + 500 + TestIndexer.maximumAge) + excess)
        await indexer.processor.catchUp()
        #expect(try await indexer.operation(1)?.acceptance != nil)
        #expect(try await indexer.events() == (excess > 0 ? [] : [1]))
    }

    @Test(
        "a wall clock that is wrong by hours or years makes nothing too old, and nothing young again",
        arguments: [90_000_000, -90_000_000, 320_000_000_000, -320_000_000_000] as [Int64], [-1, 0, 1])
    func ageUnderWrongClock(ahead: Int64, excess: Int) async throws {
        let clock = TestIndexer.Clock()
        clock.setWall(ahead: ahead)
        let sent = UInt64(Int(epoch + 500) - excess)
        let chain = [
            chainBlock(0), chainBlock(1, [message(1, time: sent)]),
            chainBlock(2),
        ]
        let serviceClock = ServiceClock(clock.machine, kept: nil)
        let indexer = try await TestIndexer(chain, clock: serviceClock)
        indexer.node.change { $0.time = epoch + 500 + TestIndexer.maximumAge }
        await indexer.processor.catchUp()
        #expect(try await indexer.operation(1)?.acceptance != nil)
        #expect(try await indexer.events() == (excess > 0 ? [] : [1]))
    }

    @Test("the time that a run goes by is in the store with the first thing that bears it, however soon it is killed")
    func timeIsKept() async throws {
        let clock = TestIndexer.Clock()
        clock.setWall(ahead: -7_200_000)
        let serviceClock = ServiceClock(clock.machine, kept: nil)
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1)])], clock: serviceClock)
        indexer.node.change { $0.time = epoch }
        await indexer.processor.catchUp()
        let event = try #require(try await indexer.store.outbox.events(after: 0, limit: 1).first)
        let reading = try #require(try await indexer.store.clockReading())
        #expect(event.queuedAt == reading.service && reading.service == epoch && reading.chain == epoch)
    }

    @Test("self-stashes and broadcasts notify nobody")
    func quietKinds() async throws {
        let indexer = try await TestIndexer([
            chainBlock(0),
            chainBlock(
                1,
                [
                    transaction(1, "ciph_msg:1:self_stash:scope:body", from: .alice),
                    transaction(2, "ciph_msg:1:bcast:channel:text", from: .alice),
                    transaction(3, "ciph_msg:1:hs:body", from: .alice, to: [(.bob, 1)]),
                ]),
        ])
        await indexer.processor.catchUp()
        #expect(try await indexer.operation(1)?.kind == .selfStash)
        #expect(try await indexer.operation(2)?.kind == .broadcast)
        #expect(try await indexer.events() == [3])
    }

    @Test("a pending operation keeps its row and gets its acceptance, and a late block does not take it back")
    func pendingThenAccepted() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<1))
        let blocks = BlockProcessor(node: indexer.node, store: indexer.store, logger: quietLogger)
        await blocks.process(Block(header: header(1, branch: 5), transactions: [message(1, from: nil), message(2)]))
        let pending = try await #require(try indexer.operation(1))
        #expect(pending.acceptance == nil && pending.sender == nil)
        #expect(try await indexer.events().isEmpty)
        indexer.node.change { $0.chain.append(chainBlock(1, [message(1)])) }
        await indexer.processor.catchUp()
        let accepted = try await #require(try indexer.operation(1))
        #expect(accepted.acceptance?.blockHash == hash(1) && accepted.sender == Person.alice.address)
        #expect(try await indexer.operation(2)?.acceptance == nil)
        await blocks.process(Block(header: header(2, branch: 5), transactions: [message(1, from: nil)]))
        #expect(try await indexer.operation(1) == accepted)
        #expect(try await indexer.events() == [1])
    }
}
