import Kaspa
import KaspaNode
import Store
import Testing

@testable import Indexer

@Suite("Reorganisations")
struct ReorganizationTests {
    @Test("what a removed block accepted is reverted, and accepted again by the block that does")
    func revertAndAccept() async throws {
        let indexer = try await TestIndexer(
            emptyChain(0..<2) + [chainBlock(2, [message(1), message(2)]), chainBlock(3, [message(3)])])
        await indexer.processor.catchUp()
        #expect(try await indexer.events() == [1, 2, 3])
        indexer.node.reorganize(
            removing: 2,
            adding: [chainBlock(2, branch: 1, [message(3)]), chainBlock(3, branch: 1, [message(1), message(4)])])
        await indexer.processor.catchUp()
        #expect(try await indexer.operation(1)?.acceptance?.blockHash == hash(3, tag: 1))
        #expect(try await indexer.operation(2)?.acceptance == nil, "a double spend stays out, and readable")
        #expect(try await indexer.operation(3)?.acceptance?.blockHash == hash(2, tag: 1))
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(3, tag: 1))
        #expect(try await indexer.events() == [1, 2, 3, 4], "each once, ever")
    }

    @Test("a reorganisation beyond the reach of the store is noticed, and none that is not", arguments: [-1, 0, 1])
    func beyondFinality(_ offset: Int) {
        let block = chainBlock(2, branch: 1)
        let score = Int(block.header.blueScore) + Int(History.reorganizationDepth) + offset
        let cursor = ChainCursor(blockHash: hash(9), daaScore: 1, blueScore: UInt64(score), timestamp: 1)
        func isNoticed(_ removed: [BlockHash], _ added: [AcceptingBlock]) -> Bool {
            VirtualChainProcessor.isBeyondFinality(VirtualChainUpdate(removed: removed, added: added), below: cursor)
        }
        #expect(isNoticed([hash(2)], [block]) == (offset > 0))
        #expect(!isNoticed([], [block]))
        #expect(!isNoticed([hash(2)], []))
    }

    @Test("with confirmations, what is reverted unsent is withdrawn, and a later acceptance is a new event")
    func withdrawn() async throws {
        let indexer = try await TestIndexer(
            emptyChain(0..<1) + [chainBlock(1, [message(1), message(2)])], withdrawsUnsent: true)
        await indexer.processor.catchUp()
        indexer.node.reorganize(removing: 1, adding: [chainBlock(1, branch: 1, [message(2)])])
        await indexer.processor.catchUp()
        #expect(try await indexer.events() == [2])
        #expect(
            try await indexer.store.outbox.events(after: 0, limit: 9).first?.acceptance.blockHash == hash(1, tag: 1))
        indexer.node.change { $0.chain.append(chainBlock(2, branch: 1, [message(1)])) }
        await indexer.processor.catchUp()
        #expect(try await indexer.events() == [2, 1])
    }

    /// The blocks that `removedOnly` takes away.
    private static let upper = [chainBlock(2, [message(1)]), chainBlock(3, [message(2)])]

    /// An indexer that stands two blocks above its node, which has answered so twice.
    private func removedOnly() async throws -> TestIndexer {
        let indexer = try await TestIndexer(emptyChain(0..<2) + Self.upper, withdrawsUnsent: true)
        await indexer.processor.catchUp()
        let before = try await indexer.snapshot(0..<4)
        indexer.node.reorganize(removing: 2, adding: [])
        for _ in 0..<2 {
            let asked = indexer.node.now.asked.count
            #expect(try await indexer.processor.advance() == false)
            #expect(indexer.node.now.asked.dropFirst(asked) == [hash(3)])
            #expect(try await indexer.snapshot(0..<4) == before)
        }
        #expect(indexer.status.nodeTrouble == nil)
        return indexer
    }

    @Test("an answer that only removes reverts nothing, and when the branch goes on all of it stays accepted")
    func removedOnlyThenOn() async throws {
        let indexer = try await removedOnly()
        indexer.node.change { $0.chain += Self.upper + [chainBlock(4, [message(3)])] }
        await indexer.processor.catchUp()
        #expect(try await indexer.operation(1)?.acceptance?.blockHash == hash(2))
        #expect(try await indexer.operation(2)?.acceptance?.blockHash == hash(3))
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(4))
        #expect(try await indexer.events() == [1, 2, 3])
        #expect(try indexer.store.checkBooks().isSound)
    }

    @Test("when a reorganisation follows an answer that only removes, it is applied whole")
    func removedOnlyThenReorganized() async throws {
        let indexer = try await removedOnly()
        indexer.node.change { $0.chain += [chainBlock(2, branch: 1), chainBlock(3, branch: 1, [message(1)])] }
        await indexer.processor.catchUp()
        #expect(try await indexer.operation(1)?.acceptance?.blockHash == hash(3, tag: 1))
        #expect(try await indexer.operation(2)?.acceptance == nil)
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(3, tag: 1))
        #expect(try await indexer.events() == [1])
        #expect(try indexer.store.checkBooks().isSound)
    }

    @Test("a reorganisation during downtime is found at the restart")
    func duringDowntime() async throws {
        let directory = TestDirectory()
        let chain = emptyChain(0..<2) + [chainBlock(2, [message(1)]), chainBlock(3, [message(2)])]
        do {
            let indexer = try await TestIndexer(chain, directory: directory)
            await indexer.processor.catchUp()
        }
        let indexer = try await TestIndexer(chain, directory: directory)
        indexer.node.reorganize(removing: 2, adding: [chainBlock(2, branch: 1, [message(2)])])
        await indexer.processor.catchUp()
        #expect(try await indexer.operation(1)?.acceptance == nil)
        #expect(try await indexer.operation(2)?.acceptance?.blockHash == hash(2, tag: 1))
    }

    @Test("after any reorganisations the store says what the chain says, and nothing became an event twice")
    func random() async throws {
        var random = SeededRandom()
        let indexer = try await TestIndexer(emptyChain(0..<1))
        var number = 1
        var branch: UInt8 = 0
        for _ in 0..<60 {
            let height = indexer.node.now.chain.count
            let depth = Int.random(in: 0...min(height - 1, 5), using: &random)
            // What falls out comes back in another block, but for one in four.
            var waiting = indexer.node.now.chain.suffix(depth).flatMap(\.transactions).filter { _ in
                Int.random(in: 0..<4, using: &random) > 0
            }
            for _ in 0..<Int.random(in: 0..<3, using: &random) where number < 250 {
                waiting.append(message(number))
                number += 1
            }
            branch &+= 1
            let added = (0..<depth + Int.random(in: 1...3, using: &random)).map { offset in
                let taken = waiting.prefix(Int.random(in: 0...2, using: &random))
                waiting.removeFirst(taken.count)
                return chainBlock(height - depth + offset, branch: branch, Array(taken))
            }
            indexer.node.reorganize(removing: depth, adding: added)
            indexer.node.change { $0.batch = Int.random(in: 1...6, using: &random) }
            if Bool.random(using: &random) {
                await indexer.processor.catchUp()
            } else {
                _ = try await indexer.processor.advance()
            }
        }
        await indexer.processor.catchUp()
        var accepting: [TransactionID: BlockHash] = [:]
        for block in indexer.node.now.chain {
            for transaction in block.transactions { accepting[transaction.id] = block.header.hash }
        }
        for known in 1..<number {
            let acceptance = try await indexer.operation(known)?.acceptance
            #expect(
                acceptance?.blockHash == accepting[hash(known, tag: 0x77)], "seed \(random.seed), transaction \(known)")
        }
        let events = try await indexer.events()
        #expect(Set(events).count == events.count, "seed \(random.seed)")
        #expect(Set(events).isSuperset(of: accepting.keys.map { Int($0.bytes[31]) }), "seed \(random.seed)")
    }
}
