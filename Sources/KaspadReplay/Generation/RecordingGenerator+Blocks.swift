import Kaspa
import KaspaNode
import Recordings

/// How a block of the graph becomes entries of the recording.
extension RecordingGenerator {
    /// Adds a block with its coinbase, and what it changes, to the entries; nil if it cannot stand where it should.
    mutating func add(
        parents: [BlockHash], contents: [TransactionMaker.Made], coinbase: TransactionMaker.Made? = nil,
        to made: inout [GeneratedEntry]
    ) -> BlockHash? {
        guard let placement = try? derivation.graph.placement(parents: parents) else { return nil }
        let selected = derivation.header(of: placement.selectedParent)
        let hash = random.hash()
        let merged = UInt64(placement.merged.count)
        let reward =
            coinbase
            ?? maker.coinbase(
                paying: [random.number(below: wallets.count)], amount: 5 * Sompi.perKAS, random: &random)
        let all = [reward] + contents
        clock += UInt64(parameters.blockInterval)

        var header = randomHeader(hash, parents: parents)
        header.blueScore = selected.blueScore + merged
        header.daaScore = selected.daaScore + merged
        // Every block has the same work, so the blue score alone decides.
        let work = header.blueScore * Self.workOfBlock
        header.blueWork = String(work, radix: 16)
        let block = GraphBlock(
            hash: hash, parents: parents, blueWork: BlueWork(work), header: header,
            transactions: all.map(\.transaction))
        // A step of nil is a block that changes nothing; an error cannot be, since enough is remembered.
        let step = try? derivation.add(block)
        append(block, placement: placement, contents: all, step: step, to: &made)
        return hash
    }

    /// A header whose roots are random; its scores are left out.
    private mutating func randomHeader(_ hash: BlockHash, parents: [BlockHash]) -> Protowire_RpcBlockHeader {
        var header = Protowire_RpcBlockHeader()
        header.hash = hash.description
        header.version = 2
        var level = Protowire_RpcBlockLevelParents()
        level.parentHashes = parents.map(\.description)
        header.parents = [level]
        header.hashMerkleRoot = random.hash().description
        header.acceptedIDMerkleRoot = random.hash().description
        header.utxoCommitment = random.hash().description
        header.pruningPoint = self.header.startHash
        header.timestamp = Int64(clamping: clock)
        header.bits = 0x1e21_bc1c
        header.nonce = random.next()
        return header
    }

    private mutating func append(
        _ block: GraphBlock, placement: BlockGraph.Placement, contents: [TransactionMaker.Made],
        step: VirtualChainStep?, to made: inout [GeneratedEntry]
    ) {
        offset = Swift.max(offset, clock - parameters.startTime)
        var message = Self.message(of: block)
        message.verboseData.selectedParentHash = derivation.graph[placement.selectedParent].hash.description
        message.verboseData.mergeSetBluesHashes = placement.merged.map { derivation.graph[$0].hash.description }
        made.append(
            Self.entry(block, message: message, operations: contents.compactMap(\.operation), offset: offset))
        guard let step else { return }
        var entry = Recording_RecordingEntry()
        entry.offsetMs = offset
        entry.virtualChain = step.message
        made.append(GeneratedEntry(message: entry, block: nil, operations: [], step: step))
        for accepted in step.added.lazy.flatMap(\.accepted) {
            for (index, output) in accepted.transaction.message.outputs.enumerated() where output.amount > 0 {
                guard let wallet = walletOfAddress[output.verboseData.scriptPublicKeyAddress] else { continue }
                let outpoint = Outpoint(transactionID: accepted.transaction.id, index: UInt32(index))
                pool.arrive(CoinPool.Coin(outpoint: outpoint, amount: output.amount, wallet: wallet))
            }
        }
    }

    static func entry(
        _ block: GraphBlock, message: Protowire_RpcBlock, operations: [GeneratedOperation], offset: UInt64
    ) -> GeneratedEntry {
        var entry = Recording_RecordingEntry()
        entry.offsetMs = offset
        entry.block = message
        return GeneratedEntry(message: entry, block: block, operations: operations, step: nil)
    }

    /// The block as a node's notification has it.
    static func message(of block: GraphBlock) -> Protowire_RpcBlock {
        var message = Protowire_RpcBlock()
        message.header = block.header
        message.transactions = block.transactions.map { transaction in
            var message = transaction.message
            message.verboseData.blockHash = block.header.hash
            message.verboseData.blockTime = UInt64(clamping: block.header.timestamp)
            return message
        }
        message.verboseData.hash = block.header.hash
        message.verboseData.difficulty = 1
        message.verboseData.transactionIds = message.transactions.map(\.verboseData.transactionID)
        message.verboseData.blueScore = block.header.blueScore
        return message
    }

    private static let workOfBlock: UInt64 = 0x796ae
}
