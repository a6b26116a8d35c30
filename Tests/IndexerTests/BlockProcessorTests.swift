import Kaspa
import KaspaNode
import Logging
import RecordedLogs
import Testing

@testable import Indexer
@testable import Store

@Suite("BlockProcessor")
struct BlockProcessorTests {
    @Test("only operations are stored, with the block's own data where the node named none")
    func process() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<1))
        let processor = BlockProcessor(node: indexer.node, store: indexer.store, logger: quietLogger)
        var unnamed = transaction(1, "kchat:1:pay:x", from: nil, to: [(.bob, 9)])
        unnamed.blockHash = nil
        unnamed.blockTime = nil
        await processor.process(
            Block(
                header: header(4),
                transactions: [
                    unnamed, transaction(2, "", from: .alice), transaction(3, "ciph_msg:1:zzz", from: .alice),
                    transaction(4, "ciph_msg:1:msg:|x", from: .alice), groupMessage(5, claimed: .alice, from: .bob),
                ], omittedTransactionCount: 3))
        let record = try await #require(try indexer.operation(1))
        #expect(record.blockHash == hash(4) && record.blockTime == epoch + 4000)
        #expect(record.receiver == Person.bob.address && record.amount == 9 && record.sender == nil)
        for number in 2...4 { #expect(try await indexer.operation(number) == nil) }
        #expect(
            try await indexer.operation(5)?.acceptance == nil,
            "whether its writer is right is decided with its acceptance")
        #expect(try await indexer.events().isEmpty)
        #expect(try await indexer.store.history.cursor() == nil)
    }

    @Test("transactions that the node did not describe are counted in the debug log, and a whole block says nothing")
    func omitted() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<1))
        let log = RecordedLogs()
        let processor = BlockProcessor(node: indexer.node, store: indexer.store, logger: log.logger)
        await processor.process(Block(header: header(1), transactions: [message(1)]))
        #expect(log.events.isEmpty)
        await processor.process(Block(header: header(2), transactions: [message(2)], omittedTransactionCount: 3))
        #expect(log.events.map(\.level) == [.debug])
        let line = try #require(log.events.first?.text)
        #expect(line.hasPrefix("indexer.block.transactions_omitted block=\(hash(2))") && line.hasSuffix("count=3"))
        #expect(try await indexer.operation(2) != nil, "the others are stored")
    }

    @Test("the same transaction in several blocks is one row, the first")
    func repeats() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<1))
        let processor = BlockProcessor(node: indexer.node, store: indexer.store, logger: quietLogger)
        var second = message(1)
        second.blockHash = hash(99)
        await processor.process(Block(header: header(1), transactions: [message(1), message(1)]))
        await processor.process(Block(header: header(2), transactions: [second]))
        #expect(try await indexer.operation(1)?.blockHash == hash(1, tag: 0xBB))
    }
}
