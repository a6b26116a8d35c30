import Kaspa
import KaspaNode
import KaspadReplay
import Testing

@Suite("Virtual chain derivation")
struct VirtualChainDerivationTests {
    /// A block with a short name for a hash, and no transactions but those given.
    static func block(
        _ name: UInt8, parents: [UInt8], work: UInt64, transactions: [GraphTransaction] = []
    ) -> GraphBlock {
        GraphBlock(
            hash: hash(name), parents: parents.map(hash), blueWork: BlueWork(work), header: Protowire_RpcBlockHeader(),
            transactions: transactions)
    }

    static func hash(_ name: UInt8) -> Hash {
        Hash(bytes: [UInt8](repeating: name, count: 32)) ?? .zero
    }

    static func transaction(_ name: UInt8, spends: [(UInt8, UInt32)], outputs: Int = 1) -> GraphTransaction {
        var message = Protowire_RpcTransaction()
        message.outputs = Array(repeating: Protowire_RpcTransactionOutput(), count: outputs)
        return GraphTransaction(
            id: hash(name), spends: spends.map { Outpoint(transactionID: hash($0.0), index: $0.1) }, message: message)
    }

    @Test("Equal work is decided by the greater hash, for the sink and for the selected parent")
    func ties() throws {
        var derivation = VirtualChainDerivation(start: Self.block(0, parents: [], work: 0))
        #expect(try derivation.add(Self.block(2, parents: [0], work: 1))?.added.map(\.hash) == [Self.hash(2)])
        #expect(try derivation.add(Self.block(1, parents: [0], work: 1)) == nil)
        let step = try #require(try derivation.add(Self.block(3, parents: [0], work: 1)))
        #expect(step.removed.map(\.hash) == [Self.hash(2)])
        #expect(step.added.map(\.hash) == [Self.hash(3)])
        let merging = try derivation.add(Self.block(9, parents: [1, 3, 2], work: 4))
        #expect(merging?.removed.isEmpty == true)
        let placement = try #require(derivation.graph[4].placement)
        #expect(placement.merged.map { derivation.graph[$0].hash } == [3, 1, 2].map(Self.hash))
    }

    @Test("A coinbase counts only where its block is the selected parent")
    func coinbases() throws {
        var derivation = VirtualChainDerivation(start: Self.block(0, parents: [], work: 0))
        let (first, second) = (Self.transaction(11, spends: []), Self.transaction(12, spends: []))
        _ = try derivation.add(Self.block(1, parents: [0], work: 1, transactions: [first]))
        _ = try derivation.add(Self.block(2, parents: [0], work: 1, transactions: [second]))
        let step = try derivation.add(Self.block(3, parents: [1, 2], work: 3))
        #expect(step?.added.first?.accepted.map(\.transaction.id) == [second.id])
        #expect(derivation.unspent.count == 1)
    }

    @Test("A reorganisation undoes what was accepted, and its rival can take the place")
    func undo() throws {
        var derivation = VirtualChainDerivation(start: Self.block(0, parents: [], work: 0))
        let coinbase = Self.transaction(11, spends: [], outputs: 2)
        let (paid, rival) = (Self.transaction(12, spends: [(11, 0)]), Self.transaction(13, spends: [(11, 0)]))
        _ = try derivation.add(Self.block(1, parents: [0], work: 1, transactions: [coinbase]))
        _ = try derivation.add(Self.block(2, parents: [1], work: 2, transactions: [paid]))
        _ = try derivation.add(Self.block(3, parents: [2], work: 3))
        #expect(derivation.unspent[Outpoint(transactionID: paid.id, index: 0)] != nil)
        _ = try derivation.add(Self.block(4, parents: [1], work: 2, transactions: [rival]))
        let step = try #require(try derivation.add(Self.block(5, parents: [4], work: 4)))
        #expect(step.removed.map(\.hash) == [3, 2].map(Self.hash))
        #expect(step.added.map(\.hash) == [4, 5].map(Self.hash))
        #expect(step.added.last?.accepted.map(\.transaction.id) == [rival.id])
        let merging = try #require(try derivation.add(Self.block(6, parents: [3, 5], work: 7)))
        #expect(merging.added.first?.accepted.isEmpty == true)
        #expect(derivation.unspent[Outpoint(transactionID: paid.id, index: 0)] == nil)
        #expect(derivation.unspent[Outpoint(transactionID: rival.id, index: 0)] != nil)
        #expect(derivation.unspent[Outpoint(transactionID: coinbase.id, index: 1)] != nil)
    }

    @Test("A transaction that names a coin twice spends nothing")
    func coinNamedTwice() throws {
        var derivation = VirtualChainDerivation(start: Self.block(0, parents: [], work: 0))
        let coinbase = Self.transaction(11, spends: [])
        let greedy = Self.transaction(12, spends: [(11, 0), (11, 0)])
        _ = try derivation.add(Self.block(1, parents: [0], work: 1, transactions: [coinbase]))
        _ = try derivation.add(Self.block(2, parents: [1], work: 2, transactions: [greedy]))
        #expect(try derivation.add(Self.block(3, parents: [2], work: 3))?.added.first?.accepted.isEmpty == true)
        #expect(derivation.unspent[Outpoint(transactionID: coinbase.id, index: 0)] != nil)
    }

    @Test("A repeated block, an unknown parent and no parent are refused, and change nothing")
    func refusals() throws {
        var derivation = VirtualChainDerivation(start: Self.block(0, parents: [], work: 0))
        _ = try derivation.add(Self.block(1, parents: [0], work: 1))
        for (block, code) in [
            (Self.block(1, parents: [0], work: 5), DerivationError.Code.repeatedBlock),
            (Self.block(2, parents: [7], work: 5), .unknownParent),
            (Self.block(2, parents: [], work: 5), .unknownParent),
        ] {
            #expect { try derivation.add(block) } throws: { ($0 as? DerivationError)?.code == code }
        }
        #expect(derivation.sink == Self.hash(1))
        #expect(derivation.graph.nextNumber == 2)
    }

    @Test("What is remembered is bounded, and what builds on forgotten blocks is refused")
    func forgetting() throws {
        var derivation = VirtualChainDerivation(start: Self.block(0, parents: [], work: 0), remembering: 10)
        for name in UInt8(1)...200 {
            _ = try derivation.add(Self.block(name, parents: [name - 1], work: UInt64(name)))
            #expect(derivation.graph.nextNumber - derivation.graph.firstNumber <= 20)
        }
        #expect { try derivation.add(Self.block(250, parents: [100], work: 300)) } throws: {
            ($0 as? DerivationError)?.code == .unknownParent
        }
        #expect(try derivation.add(Self.block(251, parents: [199], work: 300))?.removed.count == 1)
    }

    @Test("A branch that was remembered until the chain under it was not is refused")
    func forgottenFork() throws {
        var derivation = VirtualChainDerivation(start: Self.block(0, parents: [], work: 0), remembering: 4)
        for name in UInt8(1)...4 {
            _ = try derivation.add(Self.block(name, parents: [name - 1], work: UInt64(name)))
        }
        _ = try derivation.add(Self.block(100, parents: [1], work: 1))
        for name in UInt8(5)...7 {
            _ = try derivation.add(Self.block(name, parents: [name - 1], work: UInt64(name)))
        }
        #expect { try derivation.add(Self.block(101, parents: [100], work: 50)) } throws: {
            ($0 as? DerivationError)?.code == .forgottenChain
        }
        #expect(derivation.sink == Self.hash(7))
    }

    @Test(
        "Blue work is hexadecimal of up to 192 bits",
        arguments: [
            ("0", true), ("2c1bd36", true), (String(repeating: "f", count: 48), true),
            (String(repeating: "0", count: 49), false), ("", false), ("xyz", false), ("-1", false),
        ])
    func blueWork(text: String, isValid: Bool) {
        #expect((BlueWork(text) != nil) == isValid)
    }

    @Test("Blue work compares as a number")
    func blueWorkOrder() throws {
        let texts = [
            "0", "ff", "0100", "1ff", "ffffffffffffffff", "10000000000000000", "f" + String(repeating: "0", count: 40),
        ]
        let works = try texts.map { try #require(BlueWork($0)) }
        #expect(works == works.sorted())
        #expect(BlueWork("00ff") == BlueWork(255))
    }

    @Test("A block with a field that is no hash or no number is refused by name")
    func malformedBlocks() {
        var good = Protowire_RpcBlock()
        good.header.hash = Self.hash(1).description
        good.header.blueWork = "1"
        #expect(throws: Never.self) { try GraphBlock(good) }
        let spoilings: [(inout Protowire_RpcBlock) -> Void] = [
            { $0.header.hash = "1234" },
            { $0.header.blueWork = "" },
            {
                var level = Protowire_RpcBlockLevelParents()
                level.parentHashes = ["x"]
                $0.header.parents = [level]
            },
            { $0.transactions = [Protowire_RpcTransaction()] },
            {
                var transaction = Protowire_RpcTransaction()
                transaction.verboseData.transactionID = Self.hash(2).description
                transaction.inputs = [Protowire_RpcTransactionInput()]
                $0.transactions = [transaction]
            },
        ]
        for spoil in spoilings {
            var block = good
            spoil(&block)
            #expect { try GraphBlock(block) } throws: { ($0 as? DerivationError)?.code == .malformedBlock }
        }
    }
}
