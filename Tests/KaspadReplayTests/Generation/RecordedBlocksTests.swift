import KasiaProtocol
import Kaspa
import KaspaNode
import KaspadReplay
import Recordings
import Testing

@Suite("Recorded blocks")
struct RecordedBlocksTests {
    let recorded: RecordedBlocks

    init() throws {
        recorded = try RecordedBlocks()
    }

    @Test("The derivation finds exactly the virtual chain that the fixture's own derivation found")
    func derivationAgrees() throws {
        var derivation: VirtualChainDerivation?
        var unclaimed: Recording_VirtualChainChange?
        for (number, entry) in recorded.entries.enumerated() {
            switch entry.event {
            case .block(let message):
                #expect(unclaimed == nil, "entry \(number): the derivation changed the chain, the fixture did not")
                let block = try GraphBlock(message)
                if derivation == nil {
                    derivation = VirtualChainDerivation(start: block)
                } else {
                    unclaimed = try derivation?.add(block)?.message
                    try checkPlacement(of: block, as: message, in: try #require(derivation).graph)
                }
            case .virtualChain(let change):
                let agrees = unclaimed == change
                #expect(agrees, "entry \(number)")
                unclaimed = nil
            case nil:
                Issue.record("entry \(number) is empty")
            }
        }
        #expect(unclaimed == nil)
        #expect(derivation?.sink.description == recorded.expected.sink)
        let chain = derivation?.chainBlocks.map(\.hash.description)
        #expect(chain == Array(recorded.expected.virtualChain.dropFirst()))
    }

    /// What a block merges is what the fixture says, and as many blocks as the block's real header says.
    private func checkPlacement(of block: GraphBlock, as message: Protowire_RpcBlock, in graph: BlockGraph) throws {
        let placement = try #require(graph.number(of: block.hash).flatMap { graph[$0].placement })
        #expect(placement.merged.map { graph[$0].hash.description } == message.verboseData.mergeSetBluesHashes)
        let selected = graph[placement.selectedParent].hash.description
        #expect(selected == message.verboseData.selectedParentHash)
        let below = recorded.entries.first { $0.block.header.hash == selected }?.block.header.blueScore
        #expect(below.map { $0 + UInt64(placement.merged.count) } == message.header.blueScore)
    }

    @Test("The counts are what the fixture's description says")
    func counts() {
        let counts = recorded.expected.counts
        let blocks = recorded.entries.compactMap { if case .block(let block) = $0.event { block } else { nil } }
        let changes = recorded.entries.compactMap {
            if case .virtualChain(let change) = $0.event { change } else { nil }
        }
        #expect(counts.blocks == 266)
        #expect(blocks.count == counts.blocks)
        #expect(Set(blocks.map(\.header.hash)).count == counts.blocks)
        #expect(changes.count == counts.virtualChainEntries)
        #expect(recorded.entries.count == counts.entries)
        #expect(recorded.expected.virtualChain.count == counts.chainBlocks + 1)
        let carriers = Dictionary(
            blocks.flatMap(\.transactions).map { ($0.verboseData.transactionID, 1) }, uniquingKeysWith: +)
        #expect(carriers.count == counts.transactions)
        #expect(carriers.values.count { $0 > 1 } == counts.transactionsInSeveralBlocks)
        let depths = changes.map(\.removedChainBlockHashes.count).filter { $0 > 0 }
        #expect(depths.count == counts.reorganisations)
        for (depth, count) in counts.reorganisationsByDepth {
            #expect(depths.count { String($0) == depth } == count, "reorganisations of depth \(depth)")
        }
        #expect(recorded.expected.operations.count == counts.operations)
        #expect(recorded.expected.operations.count(where: \.accepted) == counts.operationsAccepted)
        #expect(Set(recorded.expected.operations.map(\.id)).count == counts.operations)
    }

    @Test("The header names the network and the first block, and offsets never decrease")
    func header() {
        #expect(recorded.header.formatVersion == 1)
        #expect(recorded.header.networkID == "mainnet")
        #expect(recorded.header.startHash == recorded.expected.startHash)
        #expect(recorded.header.startHash == recorded.entries.first?.block.header.hash)
        let offsets = recorded.entries.map(\.offsetMs)
        #expect(zip(offsets, offsets.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("Following the changes accepts what the fixture's description says, by the block it names")
    func acceptance() {
        var acceptances: [String: [Protowire_RpcOptionalTransaction]] = [:]
        var headers: [String: Protowire_RpcOptionalHeader] = [:]
        for case .virtualChain(let change) in recorded.entries.compactMap(\.event) {
            for hash in change.removedChainBlockHashes {
                #expect(acceptances.removeValue(forKey: hash) != nil)
            }
            for block in change.added {
                acceptances[block.chainBlockHeader.hash] = block.acceptedTransactions
                headers[block.chainBlockHeader.hash] = block.chainBlockHeader
            }
        }
        let accepted = acceptances.flatMap { hash, transactions in
            transactions.map { (id: $0.verboseData.transactionID, by: hash, transaction: $0) }
        }
        #expect(accepted.count == recorded.expected.counts.acceptedTransactions)
        #expect(Set(accepted.map(\.id)).count == accepted.count)
        let byID = Dictionary(accepted.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for operation in recorded.expected.operations {
            let found = byID[operation.id]
            #expect((found != nil) == operation.accepted, "\(operation.name)")
            #expect(found?.by == operation.acceptingBlock, "\(operation.name)")
            #expect(found?.transaction.verboseData.blockHash == operation.block, "\(operation.name)")
            #expect(found?.transaction.verboseData.blockTime == operation.blockTime, "\(operation.name)")
            #expect(found.flatMap { headers[$0.by]?.daaScore } == operation.acceptingDaaScore, "\(operation.name)")
        }
    }

    @Test("Grammar and parties make of each operation what the fixture's description says")
    func classification() throws {
        var transactions: [String: Protowire_RpcOptionalTransaction] = [:]
        for case .virtualChain(let change) in recorded.entries.compactMap(\.event) {
            for transaction in change.added.flatMap(\.acceptedTransactions) {
                transactions[transaction.verboseData.transactionID] = transaction
            }
        }
        for operation in recorded.expected.operations {
            let payload = try #require(Hex.decode(operation.payload))
            switch PayloadGrammar.classify(payload) {
            case .notOurs: #expect(operation.kind == "not_ours", "\(operation.name)")
            case .unknown: #expect(operation.kind == "unknown", "\(operation.name)")
            case .malformed(let kind):
                #expect(operation.kind == "malformed" && operation.malformed == "\(kind)", "\(operation.name)")
            case .operation(let found):
                #expect("\(found.kind)" == operation.kind, "\(operation.name)")
                #expect(found.isLegacy == operation.legacy, "\(operation.name)")
                #expect(found.alias.map { Hex.encode(payload[$0]) } == operation.alias, "\(operation.name)")
            }
            guard let transaction = transactions[operation.id] else { continue }
            #expect(transaction.payload == operation.payload, "\(operation.name)")
            let parties = Parties.parties(of: try #require(Transaction(transaction)), on: .mainnet)
            #expect(parties.sender?.description == operation.sender, "\(operation.name)")
            if let receiver = operation.receiver {
                #expect(parties.receiver?.description == receiver, "\(operation.name)")
                #expect(parties.amount.amount == operation.amount, "\(operation.name)")
            }
        }
    }

    @Test("Addresses are those of the scripts beside them, everywhere")
    func addresses() throws {
        for case .virtualChain(let change) in recorded.entries.compactMap(\.event) {
            for transaction in change.added.flatMap(\.acceptedTransactions) {
                let known = try #require(Transaction(transaction))
                for (output, message) in zip(known.outputs, transaction.outputs) {
                    let address = output.script.address(on: .mainnet)?.description ?? ""
                    #expect(address == message.verboseData.scriptPublicKeyAddress)
                }
                for (input, message) in zip(known.inputs, transaction.inputs) {
                    let address = input.spent?.script.address(on: .mainnet)?.description ?? ""
                    #expect(address == message.verboseData.utxoEntry.verboseData.scriptPublicKeyAddress)
                }
            }
        }
    }
}

extension Transaction {
    /// What an accepting answer says of a transaction; nil if something in it is no hash or no hexadecimal.
    fileprivate init?(_ message: Protowire_RpcOptionalTransaction) {
        func script(_ message: Protowire_RpcScriptPublicKey) -> Script? {
            Hex.decode(message.scriptPublicKey).map { Script(version: UInt16(message.version), bytes: $0) }
        }
        guard let id = TransactionID(message.verboseData.transactionID) else { return nil }
        self.init(id: id)
        for input in message.inputs {
            let entry = input.verboseData.utxoEntry
            guard
                let spent = TransactionID(input.previousOutpoint.transactionID),
                let script = script(entry.scriptPublicKey)
            else { return nil }
            inputs.append(
                TransactionInput(
                    outpoint: Outpoint(transactionID: spent, index: input.previousOutpoint.index),
                    spent: SpentOutput(amount: Sompi(entry.amount), script: script)))
        }
        for output in message.outputs {
            guard let script = script(output.scriptPublicKey) else { return nil }
            outputs.append(TransactionOutput(amount: Sompi(output.value), script: script))
        }
    }
}
