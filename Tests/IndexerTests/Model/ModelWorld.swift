import KasiaProtocol
import Kaspa
import KaspaNode
import KaspadReplay
import Recordings
import Store

/// A generated network in full: what a node tells of it entry by entry, and what is true of it.
struct ModelWorld: Sendable {
    /// What a chain block accepts of ours, in order.
    struct ChainBlockContent: Sendable {
        let acceptance: OperationRecord.Acceptance
        let timestamp: UInt64
        let accepted: [(id: TransactionID, block: BlockHash, blockTime: UInt64)]
        /// Plain transfers, in order.
        let transfers: [PlainTransfer]
    }

    /// A transaction or coinbase without an operation.
    struct PlainTransfer: Sendable {
        let id: TransactionID
        let blockTime: UInt64
        /// By output.
        let credits: [(address: Address?, amount: UInt64)]
        /// By input.
        let spenders: [Address?]

        init(_ accepted: AcceptedTransaction) {
            func address(_ output: Protowire_RpcTransactionOutput) -> Address? {
                try? Address(parsing: output.verboseData.scriptPublicKeyAddress)
            }
            id = accepted.transaction.id
            blockTime = accepted.blockTime
            credits = accepted.transaction.message.outputs.map { (address($0), $0.amount) }
            spenders = accepted.spent.map { address($0.output) }
        }

        var parties: Set<Address> { Set((credits.map(\.address) + spenders).compactMap { $0 }) }

        /// What the transfer is to one of its addresses, by the definition and not by the record.
        func side(of address: Address) -> TransferRecord.Side {
            let owners = Set(spenders.compactMap { $0 })
            let others = credits.filter { $0.address.map { !owners.contains($0) } ?? true }
            guard owners.contains(address) else {
                let amount = credits.filter { $0.address == address }.reduce(0) { $0 + $1.amount }
                return .init(
                    direction: .incoming, counterparty: spenders.compactMap { $0 }.first, amount: amount)
            }
            return others.isEmpty
                ? .init(direction: .toSelf, counterparty: nil, amount: credits.reduce(0) { $0 + $1.amount })
                : .init(
                    direction: .outgoing, counterparty: others.compactMap(\.address).first,
                    amount: others.reduce(0) { $0 + $1.amount })
        }
    }

    let seed: UInt64
    let header: Recording_RecordingHeader
    let entries: [GeneratedEntry]
    private(set) var operations: [TransactionID: GeneratedOperation] = [:]
    /// Whose group is whose: the group's id by its only writer's address.
    private(set) var groups: [Address: GeneratedWallet] = [:]
    private(set) var transfers: [TransactionID: PlainTransfer] = [:]
    /// What accepted transactions spend beyond what they pay; coinbases have none.
    private(set) var fees: [TransactionID: UInt64] = [:]
    private(set) var contents: [BlockHash: ChainBlockContent] = [:]
    /// The chain block below each that was ever on the chain.
    private(set) var below: [BlockHash: BlockHash] = [:]
    /// The time of the last block.
    private(set) var end: UInt64 = 0

    init(seed: UInt64) {
        self.seed = seed
        var parameters = GeneratorParameters()
        parameters.seed = seed
        parameters.wallets = 4
        parameters.blocks = 50
        parameters.parallelBlocks = 1...3
        parameters.transactionsPerBlock = 0...3
        parameters.operationShare = 0.8
        parameters.weights = [
            .contextualMessage: 30, .payment: 20, .handshake: 10, .groupMessage: 15, .selfStash: 10, .groupControl: 10,
            .broadcast: 5,
        ]
        parameters.reorganisationRate = 0.25
        parameters.reorganisationDepth = 1...4
        parameters.doubleSpendRate = 0.15
        parameters.duplicateRate = 0.4
        parameters.bodyBytes = 10...20
        parameters.blockInterval = 1000
        var generator = RecordingGenerator(parameters)
        header = generator.header
        for wallet in generator.wallets { groups[wallet.address] = wallet }
        var entries: [GeneratedEntry] = []
        while let entry = generator.next() { entries.append(entry) }
        self.entries = entries
        var chain = [Hash(generator.header.startHash) ?? .zero]
        for entry in entries {
            for operation in entry.operations { operations[operation.id] = operation }
            if let block = entry.block { end = max(end, UInt64(clamping: block.header.timestamp)) }
            guard let step = entry.step else { continue }
            chain.removeLast(step.removed.count)
            for block in step.added {
                below[block.hash] = chain[chain.count - 1]
                chain.append(block.hash)
                let ours = block.accepted.filter { operations[$0.transaction.id] != nil }
                let plain = block.accepted.filter { operations[$0.transaction.id] == nil }.map(PlainTransfer.init)
                for transfer in plain { transfers[transfer.id] = transfer }
                for accepted in block.accepted where !accepted.spent.isEmpty {
                    let spent = accepted.spent.reduce(0) { $0 + $1.output.amount }
                    fees[accepted.transaction.id] =
                        spent - accepted.transaction.message.outputs.reduce(0) { $0 + $1.amount }
                }
                contents[block.hash] = ChainBlockContent(
                    acceptance: .init(
                        blockHash: block.hash, daaScore: block.header.daaScore, blueScore: block.header.blueScore),
                    timestamp: UInt64(clamping: block.header.timestamp),
                    accepted: ours.map { ($0.transaction.id, $0.block, $0.blockTime) }, transfers: plain)
            }
        }
    }
}
