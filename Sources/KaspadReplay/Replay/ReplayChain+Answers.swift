import Kaspa
import KaspaNode
import SwiftProtobuf

/// The node's error in its own words.
struct ReplayRefusal: Error, Hashable {
    let message: String

    /// The node has no such block, or has it no more.
    static func unknown(_ hash: String) -> Self {
        Self(message: "cannot find header \(hash)")
    }
}

extension ReplayChain {
    /// The most blocks in an answer of GetBlocks.
    static let maximumBlocksAnswered = 1000

    /// Answers GetVirtualChainFromBlockV2; below verbosity HIGH with hashes only.
    func virtualChain(
        _ request: Protowire_GetVirtualChainFromBlockV2RequestMessage, batch: Int
    ) throws(ReplayRefusal) -> Protowire_GetVirtualChainFromBlockV2ResponseMessage {
        let (removed, added) = try path(
            from: request.startHash, confirmations: request.minConfirmationCount, batch: batch)
        let isComplete = request.dataVerbosityLevel.rawValue >= Protowire_RpcDataVerbosityLevel.high.rawValue
        return .with {
            $0.removedChainBlockHashes = removed
            $0.addedChainBlockHashes = added.map(\.hash.description)
            $0.chainBlockAcceptedTransactions = added.map { block in
                isComplete
                    ? block.acceptance
                    : .with { $0.chainBlockHeader.hash = block.hash.description }
            }
        }
    }

    /// Answers GetVirtualChainFromBlock, the call before V2: hashes, and the accepted transactions' ids on request.
    func chainHashes(
        _ request: Protowire_GetVirtualChainFromBlockRequestMessage, batch: Int
    ) throws(ReplayRefusal) -> Protowire_GetVirtualChainFromBlockResponseMessage {
        let (removed, added) = try path(
            from: request.startHash, confirmations: request.minConfirmationCount, batch: batch)
        return .with {
            $0.removedChainBlockHashes = removed
            $0.addedChainBlockHashes = added.map(\.hash.description)
            guard request.includeAcceptedTransactionIds else { return }
            $0.acceptedTransactionIds = added.map { block in
                .with {
                    $0.acceptingBlockHash = block.hash.description
                    $0.acceptedTransactionIds = block.acceptance.acceptedTransactions.map(\.verboseData.transactionID)
                }
            }
        }
    }

    /// What was removed since `start` was the sink, high to low, and at most `batch` blocks added after it.
    ///
    /// A start that was never on the chain is followed down its selected parents, as the node does. Blocks with at most
    /// `confirmations` above them are left out after batching.
    private func path(
        from start: String, confirmations: UInt64, batch: Int
    ) throws(ReplayRefusal) -> (removed: [String], added: ArraySlice<ChainBlock>) {
        guard var hash = Hash(start) else { throw ReplayRefusal(message: "\(start) is not a hash") }
        guard has(hash) else { throw .unknown(start) }
        var removed: [String] = []
        while position[hash] == nil {
            removed.append(hash.description)
            guard let below = parent[hash], has(below) else {
                throw ReplayRefusal(message: "block \(start) does not have retention root on its chain")
            }
            hash = below
        }
        let first = position[hash].map { $0 + 1 } ?? chain.count
        var added = chain[first..<min(chain.count, first + max(1, batch))]
        if confirmations > 0 {
            let sinkScore = sink.blueScore
            while let last = added.last, sinkScore - min(sinkScore, last.blueScore) <= confirmations {
                added.removeLast()
            }
        }
        return (removed, added)
    }

    /// Answers GetFeeEstimate as a node with an empty mempool: the least fee rate gets a transaction into the next block.
    ///
    /// A recording tells of no transaction that waits. The time is the mean between the chain's blocks told so far.
    var feeEstimate: Protowire_GetFeeEstimateResponseMessage {
        let bucket = Protowire_RpcFeerateBucket.with {
            $0.feerate = Self.leastFeeRate
            $0.estimatedSeconds = meanSecondsBetweenChainBlocks
        }
        return .with {
            $0.estimate.priorityBucket = bucket
            $0.estimate.normalBuckets = [bucket]
            $0.estimate.lowBuckets = [bucket]
        }
    }

    /// The least fee that a node relays, in sompi for each gram of mass.
    private static let leastFeeRate = 1.0

    /// Zero before there are two blocks whose time is known.
    private var meanSecondsBetweenChainBlocks: Double {
        // The first block is the recording's start, of which only the hash is known.
        guard chain.count > 2 else { return 0 }
        let milliseconds = Double(sink.timestamp) - Double(chain[1].timestamp)
        return max(0, milliseconds) / 1000 / Double(chain.count - 2)
    }

    /// Answers GetBlock.
    func block(
        _ request: Protowire_GetBlockRequestMessage
    ) throws(ReplayRefusal) -> Protowire_RpcBlock {
        guard let hash = Hash(request.hash), has(hash), var block = blocks[hash] else { throw .unknown(request.hash) }
        block.verboseData.isChainBlock = position[hash] != nil
        if !request.includeTransactions { block.transactions = [] }
        return block
    }

    /// Answers GetBlocks: the low block and those told after it, at most `maximumBlocksAnswered`; without a low one,
    /// all.
    func blocks(
        _ request: Protowire_GetBlocksRequestMessage
    ) throws(ReplayRefusal) -> Protowire_GetBlocksResponseMessage {
        var hashes = blockOrder[...]
        if !request.lowHash.isEmpty {
            guard let low = Hash(request.lowHash), has(low) else { throw .unknown(request.lowHash) }
            // The start block was never told, and everything comes after it.
            if let index = hashes.firstIndex(of: low) { hashes = hashes[index...] }
        }
        let answered = hashes.filter(has).prefix(Self.maximumBlocksAnswered)
        return .with {
            $0.blockHashes = answered.map(\.description)
            if request.includeBlocks {
                $0.blocks = answered.compactMap { hash in
                    var block = blocks[hash]
                    if !request.includeTransactions { block?.transactions = [] }
                    return block
                }
            }
        }
    }

    /// Answers GetBlockDagInfo.
    func dagInfo(networkID: String) -> Protowire_GetBlockDagInfoResponseMessage {
        .with {
            $0.networkName = "kaspa-\(networkID)"
            $0.blockCount = UInt64(blocks.count)
            $0.headerCount = UInt64(blocks.count)
            $0.tipHashes = tips.sorted().map(\.description)
            $0.virtualParentHashes = $0.tipHashes
            $0.difficulty = blockOrder.last.flatMap { blocks[$0]?.verboseData.difficulty } ?? 0
            $0.pastMedianTime = sink.timestamp
            $0.pruningPointHash = pruningPoint.description
            $0.virtualDaaScore = virtualDAAScore
            $0.sink = sink.hash.description
        }
    }

    /// Answers GetUtxoReturnAddress: whose output the transaction's first input spends, as far as the recording holds
    /// it.
    ///
    /// Looks through everything told so far: the call is rare, an index for it would be large.
    func returnAddress(
        _ request: Protowire_GetUtxoReturnAddressRequestMessage, on network: Network
    ) throws(ReplayRefusal) -> String {
        func refusal(_ reason: String) -> ReplayRefusal {
            ReplayRefusal(message: "utxo return address could not be found -> \(reason)")
        }
        guard
            let accepting = chain.last(where: { $0.daaScore == request.acceptingBlockDaaScore }),
            let transaction = accepting.acceptance.acceptedTransactions.first(
                where: { $0.verboseData.transactionID == request.txid })
        else { throw refusal("transaction not found") }
        guard let input = transaction.inputs.first else { throw refusal("transaction is a coinbase") }
        let entry = input.verboseData.utxoEntry
        let spent = entry.hasScriptPublicKey ? entry.scriptPublicKey : script(of: input.previousOutpoint)
        guard
            let spent, let version = UInt16(exactly: spent.version), let bytes = Hex.decode(spent.scriptPublicKey),
            let address = Script(version: version, bytes: bytes).address(on: network)
        else { throw refusal("the spent output is not known or has no address") }
        return address.description
    }

    private func script(of outpoint: Protowire_RpcOptionalTransactionOutpoint) -> Protowire_RpcScriptPublicKey? {
        let index = Int(outpoint.index)
        for block in chain.reversed() {
            for transaction in block.acceptance.acceptedTransactions
            where transaction.verboseData.transactionID == outpoint.transactionID && index < transaction.outputs.count {
                return transaction.outputs[index].scriptPublicKey
            }
        }
        for block in blocks.values {
            for transaction in block.transactions
            where transaction.verboseData.transactionID == outpoint.transactionID && index < transaction.outputs.count {
                return transaction.outputs[index].scriptPublicKey
            }
        }
        return nil
    }
}
