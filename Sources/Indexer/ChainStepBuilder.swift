import KasiaProtocol
import Kaspa
import Store

/// Turns one answer about the virtual chain into what the store applies.
///
/// Pure: senders that the answer lacks are asked for in between by the caller.
struct ChainStepBuilder {
    /// A transaction that the answer names as accepted.
    private struct Accepted {
        var transaction: Transaction
        let block: BlockHeader
    }

    /// A plain transfer to a watched address among them.
    private struct Transfer {
        let transaction: Transaction
        let block: BlockHeader
        let funds: Funds
    }

    private let indexing: ChainIndexing
    private let reader: OperationReader
    private let removed: [BlockHash]
    private let cursor: ChainCursor
    private var accepted: [Accepted] = []
    private var transfers: [Transfer] = []
    /// Kinds counted: those of operations, and what is ours and yet no operation.
    private(set) var counts: [String: Int] = [:]
    /// Operations and transfers not pushed because of their age.
    private(set) var tooOld = 0

    /// Keeps only the transactions that are ours, and those that pay one of the scripts in `watched`; `cursor` stays
    /// where it is when no block was added.
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
        let fundsReader = FundsReader(network: indexing.network, scripts: indexing.enqueuesEvents ? watched : nil)
        for block in update.added {
            for transaction in block.transactions {
                let classification = PayloadGrammar.classify(transaction.payload)
                if classification != .notOurs {
                    accepted.append(Accepted(transaction: transaction, block: block.header))
                }
                if case .operation = classification, !transaction.isCoinbase { continue }
                guard let funds = fundsReader.funds(of: transaction) else { continue }
                transfers.append(Transfer(transaction: transaction, block: block.header, funds: funds))
            }
        }
    }

    /// Operations whose sender the answer does not name, with their accepting DAA score.
    var withoutSender: [TransactionID: UInt64] {
        var missing: [TransactionID: UInt64] = [:]
        for entry in accepted where !entry.transaction.isCoinbase && entry.transaction.inputs.first?.spent == nil {
            guard case .operation = PayloadGrammar.classify(entry.transaction.payload) else { continue }
            missing[entry.transaction.id] = entry.block.daaScore
        }
        return missing
    }

    /// Fills in senders that were asked for.
    mutating func resolve(_ senders: [TransactionID: Address]) {
        for index in accepted.indices {
            guard let sender = senders[accepted[index].transaction.id] else { continue }
            // The amount is not known and not needed: only the script names the sender.
            accepted[index].transaction.inputs[0].spent = SpentOutput(amount: .zero, script: Script(paying: sender))
        }
    }

    /// The step, at the time `now` (milliseconds since 1970).
    mutating func build(now: UInt64) -> ChainStep {
        var operations: [AcceptedOperation] = []
        for entry in accepted {
            let acceptance = OperationRecord.Acceptance(
                blockHash: entry.block.hash, daaScore: entry.block.daaScore, blueScore: entry.block.blueScore)
            switch reader.read(entry.transaction, in: entry.block, acceptance: acceptance) {
            case .foreign: continue
            case .ignored(let kind): counts[kind, default: 0] += 1
            case .operation(let record, let operation):
                guard let accepted = accept(record, operation, now: now) else { continue }
                operations.append(accepted)
            }
        }
        let told = transfers.compactMap { record(of: $0, now: now) }
        return ChainStep(removed: removed, accepted: operations, transfers: told, cursor: cursor)
    }

    /// What the store keeps of a transfer; nil when it is too old to be told of, and so of no use.
    private mutating func record(of transfer: Transfer, now: UInt64) -> TransferRecord? {
        let (transaction, block) = (transfer.transaction, transfer.block)
        let record = TransferRecord(
            transactionID: transaction.id, blockTime: transaction.blockTime ?? block.timestamp,
            acceptance: OperationRecord.Acceptance(
                blockHash: block.hash, daaScore: block.daaScore, blueScore: block.blueScore),
            funds: transfer.funds)
        return isYoung(record.blockTime, now: now) ? record : nil
    }

    private mutating func accept(
        _ record: OperationRecord, _ operation: PayloadOperation, now: UInt64
    ) -> AcceptedOperation? {
        var binding: AcceptedOperation.GroupBinding?
        if let group = operation.group {
            // A group message names its writer's key; who pays for it must be that writer.
            guard let sender = record.sender, group.namesSender(sender) else {
                counts["group_message_unverified", default: 0] += 1
                return nil
            }
            binding = AcceptedOperation.GroupBinding(
                blindedGroupID: group.blindedGroupID, senderPublicKey: group.senderPublicKey)
        }
        counts[record.kind.description, default: 0] += 1
        return AcceptedOperation(operation: record, notifies: notifies(record, now: now), group: binding)
    }

    private mutating func notifies(_ record: OperationRecord, now: UInt64) -> Bool {
        guard indexing.enqueuesEvents, record.kind != .selfStash, record.kind != .broadcast else { return false }
        return isYoung(record.blockTime, now: now)
    }

    private mutating func isYoung(_ blockTime: UInt64, now: UInt64) -> Bool {
        let (limit, overflow) = blockTime.addingReportingOverflow(indexing.maximumAge)
        guard overflow || limit >= now else {
            tooOld += 1
            return false
        }
        return true
    }
}
