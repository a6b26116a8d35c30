import Kaspa
import KaspaNode
import Store
import Testing

@testable import Indexer

@Suite("Senders that the answer lacks")
struct SenderResolverTests {
    static let id = hash(1, tag: 0x77)

    @Test("the node is asked, with the accepting score, and its answer is the sender")
    func resolved() async throws {
        let indexer = try TestIndexer([
            chainBlock(0),
            chainBlock(1, [message(1, from: nil), message(2), transaction(3, "ciph_msg:1:?", from: nil)]),
        ])
        indexer.node.change { $0.senders = [Self.id: .success(Person.carol.address)] }
        await indexer.processor.catchUp()
        #expect(try indexer.operation(1)?.sender == Person.carol.address)
        #expect(try indexer.store.events(after: 0, limit: 9).first?.sender == Person.carol.address)
        #expect(
            indexer.node.now.askedSenders == [Self.id], "nothing else lacked one, and what is no operation needs none")
    }

    @Test("a payment to oneself and another is judged by the sender found")
    func receiver() async throws {
        let payment = transaction(1, "kchat:1:pay:x", from: nil, to: [(.alice, 5), (.bob, 6)])
        let indexer = try TestIndexer([chainBlock(0), chainBlock(1, [payment])])
        indexer.node.change { $0.senders = [Self.id: .success(Person.alice.address)] }
        await indexer.processor.catchUp()
        #expect(try indexer.operation(1)?.receiver == Person.bob.address)
        #expect(try indexer.operation(1)?.amount == 6)
    }

    @Test(
        "what the node cannot resolve stays unknown, and is pushed so",
        arguments: [
            NodeError.Code.rejected, .malformedAnswer, .startHashUnknown,
        ])
    func unresolved(code: NodeError.Code) async throws {
        let indexer = try TestIndexer([chainBlock(0), chainBlock(1, [message(1, from: nil)])])
        indexer.node.change { $0.senders = [Self.id: .failure(NodeError(code, "no"))] }
        await indexer.processor.catchUp()
        let record = try #require(try indexer.operation(1))
        #expect(record.sender == nil && record.acceptance != nil)
        #expect(try indexer.events() == [1])
        #expect(indexer.node.now.askedSenders.count == 1)
    }

    @Test(
        "a lost node is no answer: the step waits, and nothing is written",
        arguments: [
            NodeError.Code.notConnected, .cancelled, .transport, .syncing, .busy,
        ])
    func lostNode(code: NodeError.Code) async throws {
        let indexer = try TestIndexer([chainBlock(0), chainBlock(1, [message(1, from: nil), message(2)])])
        indexer.node.change { $0.senders = [Self.id: .failure(NodeError(code, "gone"))] }
        await indexer.processor.catchUp()
        #expect(try indexer.operation(1) == nil && indexer.operation(2) == nil)
        #expect(try indexer.store.cursor()?.blockHash == hash(0))
        indexer.node.change { $0.senders = [Self.id: .success(Person.bob.address)] }
        await indexer.processor.catchUp()
        #expect(try indexer.operation(1)?.sender == Person.bob.address)
        #expect(try indexer.events() == [1, 2])
        #expect(indexer.status.nodeTrouble == nil)
    }

    @Test("a question that is never answered in time is asked three times and then given up")
    func timeouts() async throws {
        let indexer = try TestIndexer([chainBlock(0), chainBlock(1, [message(1, from: nil)])])
        indexer.node.change { $0.senders = [Self.id: .failure(NodeError(.timeout, "slow"))] }
        await indexer.processor.catchUp()
        #expect(indexer.node.now.askedSenders.count == SenderResolver.attempts)
        #expect(try indexer.operation(1)?.acceptance != nil)
    }

    @Test("a sender learned before is kept when a later answer lacks it")
    func kept() async throws {
        let indexer = try TestIndexer(emptyChain(0..<2) + [chainBlock(2, [message(1)])])
        await indexer.processor.catchUp()
        indexer.node.reorganize(removing: 1, adding: [chainBlock(2, branch: 1, [message(1, from: nil)])])
        await indexer.processor.catchUp()
        #expect(try indexer.operation(1)?.sender == Person.alice.address)
    }

    @Test("many are asked for, each once", arguments: [15, 16, 17, 100])
    func many(count: Int) async throws {
        let indexer = try TestIndexer([chainBlock(0), chainBlock(1, (0..<count).map { message($0, from: nil) })])
        indexer.node.change { state in
            for number in 0..<count where number % 2 == 0 {
                state.senders[hash(number, tag: 0x77)] = .success(Person.bob.address)
            }
        }
        await indexer.processor.catchUp()
        for number in 0..<count {
            #expect(try indexer.operation(number)?.sender == (number % 2 == 0 ? Person.bob.address : nil))
        }
        #expect(Set(indexer.node.now.askedSenders).count == count && indexer.node.now.askedSenders.count == count)
    }
}
