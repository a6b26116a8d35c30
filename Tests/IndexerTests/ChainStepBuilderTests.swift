import KasiaProtocol
import Kaspa
import Store
import Testing

@testable import Indexer

@Suite("ChainStepBuilder")
struct ChainStepBuilderTests {
    let start = ChainCursor(blockHash: hash(0), daaScore: 1, blueScore: 2, timestamp: 3)

    private func builder(
        _ added: [AcceptingBlock], removed: [BlockHash] = [], maximumAge: UInt64 = 1000, enqueuesEvents: Bool = true
    ) -> ChainStepBuilder {
        ChainStepBuilder(
            VirtualChainUpdate(removed: removed, added: added), after: start,
            indexing: ChainIndexing(
                network: .mainnet, enqueuesEvents: enqueuesEvents, maximumAge: maximumAge, withdrawsUnsent: false))
    }

    @Test("the cursor is the highest added block, or stays")
    func cursor() {
        var moved = builder([chainBlock(1), chainBlock(2)], removed: [hash(8), hash(7)])
        let step = moved.build(now: epoch, chainTime: epoch)
        #expect(step.cursor == ChainCursor(blockHash: hash(2), daaScore: 1020, blueScore: 516, timestamp: epoch + 2000))
        #expect(step.removed == [hash(8), hash(7)] && step.accepted.isEmpty)
        var stayed = builder([], removed: [hash(8)])
        #expect(stayed.build(now: epoch, chainTime: epoch).cursor == start)
    }

    @Test("operations keep the chain's order and name their accepting block")
    func order() {
        var builder = builder([
            chainBlock(1, [message(3), transaction(9, "x", from: .bob), message(1)]), chainBlock(2, [message(2)]),
        ])
        let accepted = builder.build(now: epoch, chainTime: epoch).accepted
        #expect(accepted.map { Int($0.operation.transactionID.bytes[31]) } == [3, 1, 2])
        #expect(accepted.map { $0.operation.acceptance?.blockHash } == [hash(1), hash(1), hash(2)])
        #expect(accepted.map(\.notifies) == [true, true, true])
        #expect(builder.counts == ["contextual_message": 3])
    }

    @Test("what is ours and yet no operation is counted by what it is")
    func counts() {
        var builder = builder([
            chainBlock(
                1,
                [
                    transaction(1, "ciph_msg:1:new:x", from: .alice),
                    transaction(2, "ciph_msg:1:gcomm:x", from: .alice),
                    transaction(3, "ciph_msg:1:comm:a:b", from: nil, isCoinbase: true),
                    groupMessage(4, claimed: .alice, from: .bob),
                    transaction(5, "ciph_msg:1:payment:", from: .alice, to: [(.bob, 1)]),
                ])
        ])
        _ = builder.build(now: epoch, chainTime: epoch)
        let unfinished = builder.counts.filter { $0.key != "payment" }
        #expect(
            unfinished["unknown"] == 1 && unfinished["coinbase"] == 1 && unfinished["group_message_unverified"] == 1)
        #expect((unfinished["malformed"] ?? 0) >= 1)
    }

    @Test("only operations without a known coin lack a sender; what the wait needs is kept")
    func senders() {
        var builder = builder([
            chainBlock(
                4,
                [
                    message(1, from: nil), message(2), transaction(3, "ciph_msg:1:?", from: nil),
                    transaction(5, "kchat:1:hs:x", from: nil, isCoinbase: true),
                    transaction(6, "kchat:1:pay:x", from: nil, to: [(.alice, 5), (.bob, 6)]),
                    groupMessage(7, claimed: .alice, from: nil),
                ])
        ])
        let accepted = builder.build(now: epoch, chainTime: epoch).accepted
        #expect(accepted.map { Int($0.operation.transactionID.bytes[31]) } == [1, 2, 6, 7])
        #expect(accepted.map { $0.pendingSender?.needsSender } == [true, nil, false, true])
        #expect(accepted.map { $0.pendingSender?.paid.map(\.amount) } == [[], nil, [5, 6], []])
        #expect(accepted[0].pendingSender?.deadline == epoch + 60_000)
        #expect(accepted[0].pendingSender?.askingUntil == epoch + 3_600_000)
        #expect(accepted[3].group != nil, "to be verified once the sender is known")
    }

    @Test(
        "age is counted from the block's time, to the millisecond, and cannot overflow",
        arguments: [
            (epoch, epoch + 999, true), (epoch, epoch + 1000, true), (epoch, epoch + 1001, false), (epoch, 0, true),
            (epoch + 5000, epoch, true), (UInt64.max, UInt64.max, true), (UInt64.max - 500, UInt64.max, true),
            (0, UInt64.max, false),
        ] as [(UInt64, UInt64, Bool)])
    func age(time: UInt64, now: UInt64, notifies: Bool) {
        var builder = builder([chainBlock(1, [message(1, time: time)])])
        #expect(builder.build(now: now, chainTime: now).accepted.map(\.notifies) == [notifies])
        #expect(builder.tooOld == (notifies ? 0 : 1))
    }

    @Test("while pushes are off, nothing notifies and nothing counts as too old")
    func pushesOff() {
        var builder = builder([chainBlock(1, [message(1, time: 0)])], enqueuesEvents: false)
        #expect(builder.build(now: epoch, chainTime: epoch).accepted.map(\.notifies) == [false])
        #expect(builder.tooOld == 0)
    }

    @Test("a group message carries its binding, other kinds none")
    func binding() {
        var builder = builder([chainBlock(1, [groupMessage(1, group: 6, claimed: .alice, from: .alice), message(2)])])
        let accepted = builder.build(now: epoch, chainTime: epoch).accepted
        #expect(
            accepted.first?.group
                == AcceptedOperation.GroupBinding(
                    blindedGroupID: [UInt8](repeating: 6, count: 32), senderPublicKey: Person.alice.key))
        #expect(accepted.last?.group == nil)
    }
}
