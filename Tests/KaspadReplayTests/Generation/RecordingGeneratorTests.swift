import KasiaProtocol
import Kaspa
import KaspaNode
import KaspadReplay
import Recordings
import SwiftProtobuf
import Testing

@Suite("Recording generator")
struct RecordingGeneratorTests {
    /// Few wallets and many accidents, so that a small recording has everything.
    static func wild(_ seed: UInt64, blocks: Int = 60) -> GeneratorParameters {
        var parameters = GeneratorParameters()
        parameters.seed = seed
        parameters.blocks = blocks
        parameters.wallets = 5
        parameters.transactionsPerBlock = 0...4
        parameters.reorganisationRate = 0.15
        parameters.doubleSpendRate = 0.2
        parameters.duplicateRate = 0.3
        parameters.bodyBytes = 0...40
        return parameters
    }

    static func bytes(_ parameters: GeneratorParameters) throws -> [[UInt8]] {
        let generator = RecordingGenerator(parameters)
        return try [generator.header.serializedBytes()] + generator.map { try $0.message.serializedBytes() }
    }

    @Test("The same seed gives the same bytes, another seed others")
    func determinism() throws {
        let first = try Self.bytes(Self.wild(7))
        #expect(try first == Self.bytes(Self.wild(7)))
        #expect(try first != Self.bytes(Self.wild(8)))
    }

    @Test("A recording without end begins like one with an end")
    func prefix() throws {
        var endless = Self.wild(3)
        endless.blocks = nil
        let some = try Self.bytes(Self.wild(3)).dropFirst()
        let more = try RecordingGenerator(endless).prefix(some.count).map { entry -> [UInt8] in
            try entry.message.serializedBytes()
        }
        #expect(Array(some) == more)
    }

    @Test("The number of blocks is exact", arguments: [0, 1, 2, 3, 49, 50, 51])
    func blockCount(blocks: Int) {
        let entries = Array(RecordingGenerator(Self.wild(1, blocks: blocks)))
        #expect(entries.count { $0.block != nil } == blocks)
    }

    @Test("Chain, acceptance and blocks obey the plain rules, for each of 300 seeds", .timeLimit(.minutes(5)))
    func invariants() throws {
        var depths: [Int: Int] = [:]
        var (rivalsAccepted, lost, duplicated, operations) = (0, 0, 0, 0)
        for seed in UInt64(0)..<300 {
            let oracle = try check(seed: seed)
            depths.merge(oracle.reorganisations, uniquingKeysWith: +)
            for standing in oracle.standings.values {
                operations += 1
                if standing.operation.rival != nil, standing.acceptingBlock != nil { rivalsAccepted += 1 }
                if standing.acceptances > 0, standing.acceptingBlock == nil { lost += 1 }
                if standing.blocks.count > 1 { duplicated += 1 }
            }
        }
        // All this must really happen, or the invariants say little.
        #expect(depths[1, default: 0] > 300)
        #expect(depths.filter { $0.key >= 4 }.values.reduce(0, +) > 30)
        #expect(operations > 5000 && duplicated > 500)
        #expect(rivalsAccepted > 50 && lost > 20)
    }

    /// Follows one recording by its messages alone and holds each step against the plain rules.
    private func check(seed: UInt64) throws -> GenerationOracle {
        var oracle = GenerationOracle()
        var plain: PlainChain?
        var chain: [(hash: String, accepted: [Protowire_RpcOptionalTransaction])] = []
        var lastOffset: UInt64 = 0
        for (number, entry) in RecordingGenerator(Self.wild(seed)).enumerated() {
            let place = Comment(rawValue: "seed \(seed), entry \(number)")
            oracle.observe(entry)
            #expect(entry.message.offsetMs >= lastOffset, place)
            lastOffset = entry.message.offsetMs
            switch entry.message.event {
            case .block(let message):
                let block = try GraphBlock(message)
                #expect(block == entry.block.map { without($0, blockOf: message) }, place)
                if plain == nil { plain = PlainChain(start: block) } else { try plain?.add(block) }
                let standing = try #require(plain?.blocks[block.hash])
                #expect(message.verboseData.mergeSetBluesHashes == standing.merged.map(\.description), place)
                try checkBlock(block, view: standing.unspent, place)
            case .virtualChain(let change):
                for removed in change.removedChainBlockHashes { #expect(chain.popLast()?.hash == removed, place) }
                for added in change.added { chain.append((added.chainBlockHeader.hash, added.acceptedTransactions)) }
            case nil:
                Issue.record("an empty entry (\(place))")
            }
            let expected = plain?.chain.map(\.content.hash.description) ?? []
            // A block's own step follows it, so the two agree after the step or where there is none.
            guard entry.step != nil else { continue }
            #expect(chain.map(\.hash) == expected, place)
        }
        let place = Comment(rawValue: "seed \(seed)")
        let accepted = chain.flatMap(\.accepted)
        #expect(accepted.map(\.verboseData.transactionID) == plain?.chain.flatMap(\.accepted).map(\.description), place)
        #expect(Set(accepted.map(\.verboseData.transactionID)).count == accepted.count, place)
        let spent = accepted.flatMap(\.inputs).map(\.previousOutpoint)
        #expect(Set(spent).count == spent.count, place)
        try checkOperations(oracle, accepted, chain: chain.map(\.hash), place)
        return oracle
    }

    /// The generator's block with the block's hash and time in each transaction, as its message has them.
    private func without(_ block: GraphBlock, blockOf message: Protowire_RpcBlock) -> GraphBlock {
        let transactions = zip(block.transactions, message.transactions).map {
            GraphTransaction(id: $0.id, spends: $0.spends, message: $1)
        }
        return GraphBlock(
            hash: block.hash, parents: block.parents, blueWork: block.blueWork, header: block.header,
            transactions: transactions)
    }

    /// A block's own transactions must be spendable in the block's view, and only once.
    private func checkBlock(_ block: GraphBlock, view: Set<Outpoint>, _ place: Comment) throws {
        let spends = block.transactions.flatMap(\.spends)
        #expect(Set(spends).count == spends.count, place)
        #expect(spends.allSatisfy(view.contains), place)
        #expect(Set(block.transactions.map(\.id)).count == block.transactions.count, place)
    }

    /// The oracle must say of each operation what grammar and parties make of the accepted transaction.
    private func checkOperations(
        _ oracle: GenerationOracle, _ accepted: [Protowire_RpcOptionalTransaction], chain: [String], _ place: Comment
    ) throws {
        let byID = Dictionary(
            accepted.map { ($0.verboseData.transactionID, $0) }, uniquingKeysWith: { first, _ in first })
        for standing in oracle.standings.values {
            let operation = standing.operation
            let transaction = byID[operation.id.description]
            #expect((transaction != nil) == (standing.acceptingBlock != nil), place)
            if let block = standing.acceptingBlock { #expect(chain.contains(block.description), place) }
            if let rival = operation.rival, transaction != nil { #expect(byID[rival.description] == nil, place) }
            guard case .operation(let found) = PayloadGrammar.classify(operation.payload) else {
                Issue.record("a \(operation.kind) that the grammar does not know (\(place))")
                continue
            }
            #expect(found.kind == operation.kind, place)
            #expect(found.alias.map { Array(operation.payload[$0]) } == operation.alias, place)
            guard let transaction, let input = transaction.inputs.first else { continue }
            #expect(transaction.payload == Hex.encode(operation.payload), place)
            let sender = operation.sender.description
            #expect(input.verboseData.utxoEntry.verboseData.scriptPublicKeyAddress == sender, place)
            let paid = transaction.outputs.filter { $0.verboseData.scriptPublicKeyAddress != sender }
            #expect(paid.isEmpty == (operation.receiver == nil && !operation.isForged), place)
            guard let receiver = operation.receiver else { continue }
            #expect(paid.first?.verboseData.scriptPublicKeyAddress == receiver.description, place)
            #expect(paid.reduce(0) { $0 + $1.value } == operation.amount, place)
        }
    }

    @Test("Memory and coins last: a long recording keeps its pace and forgets")
    func longRecording() {
        var parameters = GeneratorParameters()
        parameters.seed = 11
        parameters.blocks = 3000
        parameters.wallets = 10
        parameters.rememberedBlocks = 100
        parameters.bodyBytes = 10...20
        var (early, late, number) = (0, 0, 0)
        for entry in RecordingGenerator(parameters) {
            guard let block = entry.block else { continue }
            number += 1
            if number <= 1000 { early += block.transactions.count }
            if number > 2000 { late += block.transactions.count }
        }
        #expect(number == 3000)
        #expect(late > early * 8 / 10)
    }

    @Test("Parameters out of their range are taken as the nearest in it")
    func clamping() {
        var parameters = GeneratorParameters()
        parameters.wallets = -1
        parameters.blocks = 40
        parameters.parallelBlocks = -3...0
        parameters.transactionsPerBlock = -5...(-1)
        parameters.reorganisationDepth = 0...0
        parameters.reorganisationRate = 2
        parameters.blockInterval = 0
        parameters.rememberedBlocks = -1
        parameters.bodyBytes = -9...(-3)
        parameters.weights = [.broadcast: -4]
        let generator = RecordingGenerator(parameters)
        #expect(generator.wallets.count == 2)
        #expect(Array(generator).count { $0.block != nil } == 40)
    }

    @Test("Only the kinds that have a weight arise", arguments: OperationKind.allCases)
    func weights(kind: OperationKind) {
        var parameters = Self.wild(2, blocks: 40)
        parameters.weights = [kind: 1]
        parameters.operationShare = 1
        let operations = RecordingGenerator(parameters).flatMap(\.operations)
        #expect(!operations.isEmpty)
        #expect(operations.allSatisfy { $0.kind == kind })
    }
}
