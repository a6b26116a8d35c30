import AsyncAlgorithms
import Kaspa
import KaspaNode
import ServiceLifecycle
import Store
import Testing

@testable import Indexer

@Suite("Running and stopping", .timeLimit(.minutes(5)))
struct RunTests {
    /// Waits for so many answered questions about the virtual chain.
    private func answers(_ count: Int, of node: ScriptedNode) async {
        var answered = node.answered.makeAsyncIterator()
        for _ in 0..<count { await answered.next() }
    }

    private func group(_ services: [any Service]) -> ServiceGroup {
        ServiceGroup(configuration: ServiceGroupConfiguration(services: services, logger: quietLogger))
    }

    @Test("a hint makes it ask, and a graceful shutdown ends it")
    func hintAndShutdown() async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1)])])
        let group = group([indexer.processor])
        async let running: Void = group.run()
        indexer.node.hint(.connected)
        await answers(2, of: indexer.node)
        #expect(try await indexer.events() == [1])
        await group.triggerGracefulShutdown()
        try await running
    }

    @Test("without any hint it asks by itself")
    func timer() async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1)])])
        let running = Task { try await indexer.processor.run() }
        await answers(2, of: indexer.node)
        #expect(try await indexer.events() == [1])
        running.cancel()
        try await running.value
    }

    @Test("it ends at once when it is told to, in the middle of a question", arguments: [true, false])
    func stopInQuestion(gracefully: Bool) async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1)])])
        indexer.node.change { $0.isSilent = true }
        let group = group([indexer.processor])
        let running = Task { try await group.run() }
        indexer.node.hint()
        for await _ in indexer.node.ignored { break }
        if gracefully { await group.triggerGracefulShutdown() } else { running.cancel() }
        _ = try? await running.value
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(0))
        #expect(indexer.status.nodeTrouble == nil, "a stop is no trouble")
    }

    @Test("it ends when it waits for the next reason to ask", arguments: [true, false])
    func stopInPause(gracefully: Bool) async throws {
        let indexer = try await TestIndexer(emptyChain(0..<1))
        let group = group([indexer.processor])
        let running = Task { try await group.run() }
        indexer.node.hint()
        await answers(1, of: indexer.node)
        if gracefully { await group.triggerGracefulShutdown() } else { running.cancel() }
        _ = try? await running.value
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(0))
    }

    @Test("blocks become pending operations, and the processor ends with the node's stream")
    func blocks() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<1))
        let processor = BlockProcessor(node: indexer.node, store: indexer.store, logger: quietLogger)
        let running = Task { try await processor.run() }
        for number in 1...20 {
            await indexer.node.blocks.send(Block(header: header(number), transactions: [message(number)]))
        }
        indexer.node.finish()
        try await running.value
        for number in 1...20 { #expect(try await indexer.operation(number)?.acceptance == nil) }
        #expect(try await indexer.operation(20)?.blockHash == hash(20, tag: 0xBB))
    }

    @Test("the block processor ends at once when it is told to", arguments: [true, false])
    func stopBlocks(gracefully: Bool) async throws {
        let indexer = try await TestIndexer(emptyChain(0..<1))
        let group = group([BlockProcessor(node: indexer.node, store: indexer.store, logger: quietLogger)])
        let running = Task { try await group.run() }
        await indexer.node.blocks.send(Block(header: header(1), transactions: []))
        if gracefully { await group.triggerGracefulShutdown() } else { running.cancel() }
        _ = try? await running.value
    }
}
