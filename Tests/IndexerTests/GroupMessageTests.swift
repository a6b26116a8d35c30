import KasiaProtocol
import Kaspa
import Store
import Testing

@testable import Indexer

@Suite("Group messages")
struct GroupMessageTests {
    @Test("only the key that pays may write: a claimed, a foreign and an unknown writer are not accepted")
    func writers() async throws {
        let indexer = try await TestIndexer([
            chainBlock(0),
            chainBlock(
                1,
                [
                    groupMessage(1, group: 1, claimed: .alice, from: .bob),
                    groupMessage(2, group: 2, claimed: .alice, from: nil),
                    groupMessage(3, group: 3, claimed: .alice, from: .alice),
                ]),
        ])
        await indexer.processor.catchUp()
        #expect(try await indexer.operation(1) == nil)
        #expect(try await indexer.operation(2)?.acceptance == nil, "nobody vouches for it yet")
        #expect(try await indexer.operation(3)?.kind == .groupMessage)
        #expect(try await indexer.events() == [3])
    }

    @Test("a group belongs to the first key that used it, and a refused message does not take it")
    func binding() async throws {
        let indexer = try await TestIndexer([
            chainBlock(0),
            chainBlock(
                1, [groupMessage(1, claimed: .alice, from: .bob), groupMessage(2, claimed: .alice, from: .alice)]),
            chainBlock(
                2, [groupMessage(3, claimed: .bob, from: .bob), groupMessage(4, claimed: .alice, from: .alice)]),
        ])
        await indexer.processor.catchUp()
        #expect(try await indexer.operation(3) == nil)
        #expect(try await indexer.events() == [2, 4])
    }

    @Test("a writer that the answer lacks is asked for, and then checked like any other")
    func resolvedWriter() async throws {
        let indexer = try await TestIndexer([
            chainBlock(0),
            chainBlock(
                1,
                [
                    groupMessage(1, group: 1, claimed: .alice, from: nil),
                    groupMessage(2, group: 2, claimed: .alice, from: nil),
                ]),
        ])
        indexer.node.change {
            $0.senders = [
                hash(1, tag: 0x77): .success(Person.alice.address), hash(2, tag: 0x77): .success(Person.bob.address),
            ]
        }
        await indexer.processor.catchUp()
        #expect(try await indexer.events().isEmpty)
        await indexer.processor.resolver.turn()
        #expect(try await indexer.operation(1)?.sender == Person.alice.address)
        #expect(try await indexer.operation(1)?.acceptance?.blockHash == hash(1))
        #expect(try await indexer.operation(2) == nil)
        #expect(try await indexer.store.outbox.books().eventsSuppressed == 1 && indexer.store.checkBooks().isSound)
        #expect(try await indexer.events() == [1])
    }
}
