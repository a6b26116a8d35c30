import InMemoryTracing
import Kaspa
import KaspaNode
import RecordedSpans
import Spans
import Testing
import Tracing

@testable import Indexer
@testable import Store

@Suite("Spans of the chain")
struct ChainSpanTests {
    @Test("an answer has a step in its question's trace, with its reading and its writing inside")
    func step() async throws {
        let tracer = InMemoryTracer()
        let indexer = try await TestIndexer([
            chainBlock(0), chainBlock(1, [message(1), message(2, from: .bob)]), chainBlock(2),
        ])
        indexer.clock.now = epoch + 3000
        await withTracer(tracer) { await indexer.processor.catchUp() }

        let step = try #require(tracer.spans(SpanName.chainStep).first)
        let fetches = tracer.spans(SpanName.chainFetch)
        #expect(fetches.count == 2, "the second brings nothing, and no step")
        #expect(tracer.spans(SpanName.chainStep).count == 1)
        #expect(step.parentSpanID == fetches[0].spanID && step.traceID == fetches[0].traceID)
        #expect(step.startInstant.nanosecondsSinceEpoch <= fetches[0].endInstant.nanosecondsSinceEpoch)
        #expect(fetches[0].parentSpanID == nil && fetches[1].traceID != fetches[0].traceID)
        for span in [fetches[0], step] {
            #expect(span[.nodeURL] == "http://node" && span[.blocksAdded] == 2 && span[.blocksRemoved] == 0)
            #expect(span[.transactions] == 2)
        }
        #expect(fetches[1][.blocksAdded] == 0)
        let build = try #require(tracer.spans(SpanName.chainBuild).first)
        let write = try #require(tracer.spans(SpanName.chainWrite).first)
        #expect([build, write].allSatisfy { $0.parentSpanID == step.spanID && $0.traceID == step.traceID })
        for span in [build, step] {
            #expect(span[.operations] == 2 && span[.transfers] == 0)
            #expect(span[.cursor] == "\(hash(2))" && span[.daaScore] == 1020)
        }
        #expect(write[.accepted] == 2 && write[.reverted] == 0 && write[.events] == 2 && write[.unresolved] == 0)
        #expect(tracer.finishedSpans.allSatisfy { !$0.hasFailed } && tracer.activeSpans.isEmpty)
        #expect(tracer.finishedSpans.count == 5, "no span for a transaction")
    }

    @Test("while the tip is far, the next fetch is no part of the step beside it")
    func ahead() async throws {
        let tracer = InMemoryTracer()
        var limits = ChainBatch.Limits()
        limits.blocks = 10
        let indexer = try await TestIndexer(emptyChain(0..<41)) { $0.batch = limits }
        indexer.node.change { $0.virtualDAAScore = 1_000_000 }
        await withTracer(tracer) { await indexer.processor.catchUp() }
        let steps = tracer.spans(SpanName.chainStep)
        let fetches = tracer.spans(SpanName.chainFetch)
        #expect(steps.map { $0[.blocksAdded] } == [10, 10, 10, 10])
        #expect(fetches.allSatisfy { $0.parentSpanID == nil })
        #expect(steps.map(\.parentSpanID) == fetches.prefix(4).map(\.spanID))
        #expect(Set(steps.map(\.traceID)).count == 4)
    }

    @Test("a reorganisation tells how much it took out")
    func reorganisation() async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1), chainBlock(2, [message(1)])])
        indexer.clock.now = epoch + 3000
        await indexer.processor.catchUp()
        indexer.node.reorganize(removing: 1, adding: [chainBlock(2, branch: 7), chainBlock(3, branch: 7)])
        let tracer = InMemoryTracer()
        await withTracer(tracer) { await indexer.processor.catchUp() }
        let step = try #require(tracer.spans(SpanName.chainStep).first)
        #expect(step[.blocksAdded] == 2 && step[.blocksRemoved] == 1)
        #expect(tracer.spans(SpanName.chainWrite).first?[.reverted] == 1)
    }

    @Test("a node that refuses leaves a failed fetch, and its words are not told")
    func refused() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<2))
        indexer.node.change { $0.scripted = [.failure(NodeError(.rejected, "kaspa:qz"))] }
        let tracer = InMemoryTracer()
        await withTracer(tracer) { await indexer.processor.catchUp() }
        let span = try #require(tracer.finishedSpans.first)
        #expect(tracer.finishedSpans.count == 1 && span.operationName == SpanName.chainFetch)
        #expect(span.hasFailed && span[.errorType] == "rejected" && span.attributes.count == 1)
        #expect(span.status?.message == nil && span.errors.isEmpty)
    }

    @Test("a store that cannot be written leaves a failed write and a failed step")
    func damaged() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<1))
        await indexer.processor.catchUp()
        try await indexer.store.write { (transaction) throws(StoreError) in
            transaction.put(.operations, hash(2, tag: 0x77).bytes, [0xFF])
        }
        indexer.node.change { $0.chain.append(chainBlock(1, [message(2)])) }
        let tracer = InMemoryTracer()
        await withTracer(tracer) { await indexer.processor.catchUp() }
        let failed = tracer.finishedSpans.filter(\.hasFailed)
        #expect(failed.map(\.operationName) == [SpanName.chainWrite, SpanName.chainStep])
        #expect(failed.allSatisfy { $0[.errorType] == "corrupt" })
    }

    @Test("the origins of what may be told of are known before it can be, and of nothing else")
    func origins() async throws {
        let tracer = InMemoryTracer()
        let origins = SpanOrigins<TransactionID>()
        let indexer = try await TestIndexer(emptyChain(0..<1), origins: origins)
        indexer.clock.now = epoch + 3000
        let note = transaction(3, "ciph_msg:1:self_stash:s:body", from: .alice)
        let old = message(4, time: epoch + 3000 - TestIndexer.maximumAge - 1)
        indexer.node.change { $0.chain.append(chainBlock(1, [message(1), transaction(2, "", from: .bob), note, old])) }
        await withTracer(tracer) { await indexer.processor.catchUp() }
        let step = try #require(tracer.spans(SpanName.chainStep).first)
        #expect(origins.origin(of: message(1).id)?.inMemorySpanContext == step.spanContext)
        for number in 2...4 { #expect(origins.origin(of: hash(number, tag: 0x77)) == nil, "\(number)") }
        #expect(try await indexer.events() == [1])
    }

    @Test("without a tracer no origin is kept")
    func untraced() async throws {
        let origins = SpanOrigins<TransactionID>()
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1)])], origins: origins)
        indexer.clock.now = epoch + 3000
        await indexer.processor.catchUp()
        #expect(try await indexer.events() == [1])
        #expect(origins.origin(of: message(1).id) == nil)
    }

    @Test("a block with operations has a span, one without has none")
    func blocks() async throws {
        let tracer = InMemoryTracer()
        let indexer = try await TestIndexer(emptyChain(0..<1))
        let processor = BlockProcessor(node: indexer.node, store: indexer.store, logger: quietLogger)
        await withTracer(tracer) {
            await processor.process(Block(header: header(1), transactions: [message(1), message(2)]))
            await processor.process(Block(header: header(2), transactions: [transaction(3, "", from: .alice)]))
        }
        let span = try #require(tracer.finishedSpans.first)
        #expect(tracer.finishedSpans.count == 1 && span.operationName == SpanName.blockWrite)
        #expect(span[.block] == "\(hash(1))" && span[.blockOperations] == 2 && !span.hasFailed)
    }
}
