import KasiaProtocol
import Kaspa
import Store

/// Turns one answer about the virtual chain into what the store applies.
///
/// Pure: senders that the answer lacks are marked, and asked for once the step is applied.
struct ChainStepBuilder {
    /// A transaction that the answer names as accepted.
    private struct Accepted {
        let transaction: Transaction
        let block: BlockHeader
    }

    /// A plain transfer among them that may touch a watched address.
    private struct Transfer {
        let transaction: Transaction
        let block: BlockHeader
        let parties: TransferReader.Parties
    }

    private let indexing: ChainIndexing
    private let reader: OperationReader
    private let removed: [BlockHash]
    private let cursor: ChainCursor
    private var accepted: [Accepted] = []
    private var transfers: [Transfer] = []
    /// Kinds counted: those of operations, and what is ours and yet no operation.
    private(set) var counts: [String: Int] = [:]
    /// Operations not pushed because of their age.
    private(set) var tooOld = 0

    /// Keeps only the transactions that are ours, and those that pay or spend from one of the scripts in `watched`;
    /// `cursor` stays where it is when no block was added.
    init(
        _ update: VirtualChainUpdate, after cursor: ChainCursor, indexing: ChainIndexing,
        watched: (any ScriptFilter)? = nil
    ) {
        self.indexing = indexing
        reader = OperationReader(network: indexing.network)
        removed = update.removed
        self.cursor =
            update.added.last.map {
                ChainCursor(
                    blockHash: $0.header.hash, daaScore: $0.header.daaScore, blueScore: $0.header.blueScore,
                    timestamp: $0.header.timestamp)
            } ?? cursor
        let transferReader = TransferReader(network: indexing.network, scripts: watched)
        for block in update.added {
            for transaction in block.transactions {
                let classification = PayloadGrammar.classify(transaction.payload)
                if classification != .notOurs {
                    accepted.append(Accepted(transaction: transaction, block: block.header))
                }
                if case .operation = classification, !transaction.isCoinbase { continue }
                guard let parties = transferReader.parties(of: transaction) else { continue }
                transfers.append(Transfer(transaction: transaction, block: block.header, parties: parties))
            }
        }
    }

    /// The step, at the service's time `now`, when it is `chainTime` on the chain (milliseconds since 1970).
    mutating func build(now: UInt64, chainTime: UInt64) -> ChainStep {
        var operations: [AcceptedOperation] = []
        for entry in accepted {
            let acceptance = OperationRecord.Acceptance(
                blockHash: entry.block.hash, daaScore: entry.block.daaScore, blueScore: entry.block.blueScore)
            switch reader.read(entry.transaction, in: entry.block, acceptance: acceptance) {
            case .foreign: continue
            case .ignored(let kind): counts[kind, default: 0] += 1
            case .operation(let record, let operation):
                let unnamed = entry.transaction.inputs.first?.spent == nil ? entry.transaction : nil
                guard let accepted = accept(record, operation, withoutSender: unnamed, now: now, chainTime: chainTime)
                else { continue }
                operations.append(accepted)
            }
        }
        return ChainStep(
            removed: removed, accepted: operations, transfers: transfers.map { accept($0, chainTime: chainTime) },
            cursor: cursor)
    }

    private func accept(_ transfer: Transfer, chainTime: UInt64) -> AcceptedTransfer {
        let (transaction, block, parties) = (transfer.transaction, transfer.block, transfer.parties)
        let record = TransferRecord(
            transactionID: transaction.id, blockTime: transaction.blockTime ?? block.timestamp,
            acceptance: OperationRecord.Acceptance(
                blockHash: block.hash, daaScore: block.daaScore, blueScore: block.blueScore),
            acceptedAt: block.timestamp, funds: parties.funds, listed: parties.listed,
            toSpenders: parties.toSpenders.amount, toOthers: parties.toOthers.amount)
        guard indexing.enqueuesEvents else { return AcceptedTransfer(record, push: .off) }
        return AcceptedTransfer(record, push: isYoung(record.blockTime, at: chainTime) ? .due : .tooOld)
    }

    /// `unnamed` is the transaction if the answer does not say whose coin it spends.
    private mutating func accept(
        _ record: OperationRecord, _ operation: PayloadOperation, withoutSender unnamed: Transaction?, now: UInt64,
        chainTime: UInt64
    ) -> AcceptedOperation? {
        var binding: AcceptedOperation.GroupBinding?
        if let group = operation.group {
            // A group message names its writer's key; who pays for it must be that writer.
            guard unnamed != nil || record.sender.map(group.namesSender) == true else {
                counts["group_message_unverified", default: 0] += 1
                return nil
            }
            binding = AcceptedOperation.GroupBinding(
                blindedGroupID: group.blindedGroupID, senderPublicKey: group.senderPublicKey)
        }
        counts[record.kind.description, default: 0] += 1
        return AcceptedOperation(
            operation: record, notifies: notifies(record, operation, chainTime: chainTime), group: binding,
            pendingSender: unnamed.map { pendingSender(record, operation, $0, now: now) })
    }

    private func pendingSender(
        _ record: OperationRecord, _ operation: PayloadOperation, _ transaction: Transaction, now: UInt64
    ) -> AcceptedOperation.PendingSender {
        let pays = record.kind == .payment || record.kind == .handshake
        let outputs = pays ? transaction.outputs : []
        return AcceptedOperation.PendingSender(
            needsSender: !pays && operation.recipient == nil,
            paid: outputs.compactMap { output in
                output.script.address(on: indexing.network).map { .init(address: $0, amount: output.amount.amount) }
            },
            deadline: now.later(by: indexing.senderPatience),
            askingUntil: now.later(by: indexing.senderPersistence))
    }

    private mutating func notifies(
        _ record: OperationRecord, _ operation: PayloadOperation, chainTime: UInt64
    ) -> Bool {
        guard indexing.enqueuesEvents, record.kind != .selfStash else { return false }
        if record.kind == .broadcast {
            let channel = operation.channel.flatMap { ChannelName(bytes: record.payload[$0])?.text }
            guard let channel, indexing.broadcastChannels.contains(channel) else { return false }
        }
        guard !isYoung(record.blockTime, at: chainTime) else { return true }
        tooOld += 1
        return false
    }

    private func isYoung(_ blockTime: UInt64, at chainTime: UInt64) -> Bool {
        blockTime.later(by: indexing.maximumAge) >= chainTime
    }
}
