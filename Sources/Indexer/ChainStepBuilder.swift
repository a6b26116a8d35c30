import KasiaProtocol
public import Kaspa
import Policy
public import Store

/// Turns one answer about the virtual chain into a step for the store.
///
/// Pure: senders that the answer lacks are only marked. The node is asked for them once the step is applied.
public struct ChainStepBuilder {
    /// A transaction of ours that the answer names as accepted.
    private struct Kept {
        let reading: OperationReader.Reading
        /// Its outputs that have an address, if the answer does not name its sender.
        let unnamed: [Parties.Payment]?
    }

    private let indexing: ChainIndexing
    private let removed: [BlockHash]
    private let cursor: ChainCursor
    private var kept: [Kept] = []
    /// The plain transfers that may touch a watched address.
    private var transfers: [TransferRecord] = []
    /// The number of transactions of each kind: operations, and payloads with our root that are none.
    private(set) var counts: [String: Int] = [:]
    /// The number of operations that are not pushed because of their age.
    private(set) var tooOld = 0

    /// Keeps only transactions with our root, and those that pay to or spend from a script in `watched`.
    ///
    /// `cursor` does not move when no block was added.
    public init(
        _ update: VirtualChainUpdate, after cursor: ChainCursor, indexing: ChainIndexing,
        watched: (any ScriptFilter)? = nil
    ) {
        self.indexing = indexing
        removed = update.removed
        self.cursor =
            update.added.last.map {
                ChainCursor(
                    blockHash: $0.header.hash, daaScore: $0.header.daaScore, blueScore: $0.header.blueScore,
                    timestamp: $0.header.timestamp)
            } ?? cursor
        let operationReader = OperationReader(network: indexing.network)
        let transferReader = TransferReader(network: indexing.network, scripts: watched)
        for block in update.added {
            let acceptance = OperationRecord.Acceptance(
                blockHash: block.header.hash, daaScore: block.header.daaScore, blueScore: block.header.blueScore)
            for transaction in block.transactions {
                let reading = operationReader.read(transaction, in: block.header, acceptance: acceptance)
                keep(reading, of: transaction)
                if case .operation = reading { continue }
                guard let transfer = transferReader.read(transaction, in: block.header, acceptance: acceptance) else {
                    continue
                }
                transfers.append(transfer)
            }
        }
    }

    private mutating func keep(_ reading: OperationReader.Reading, of transaction: Transaction) {
        switch reading {
        case .foreign: break
        case .ignored: kept.append(Kept(reading: reading, unnamed: nil))
        case .operation:
            let isUnnamed = transaction.inputs.first?.spent == nil
            let payments = isUnnamed ? Parties.payments(of: transaction, on: indexing.network) : nil
            kept.append(Kept(reading: reading, unnamed: payments))
        }
    }

    /// The step, at the service's time `now` and the chain's time `chainTime`, milliseconds since 1970.
    public mutating func build(now: UInt64, chainTime: UInt64) -> ChainStep {
        var operations: [AcceptedOperation] = []
        for entry in kept {
            switch entry.reading {
            case .foreign: break
            case .ignored(let kind): counts[kind, default: 0] += 1
            case .operation(let record):
                if let operation = accept(record, unnamed: entry.unnamed, now: now, chainTime: chainTime) {
                    operations.append(operation)
                }
            }
        }
        return ChainStep(
            removed: removed, accepted: operations, transfers: transfers.map { accept($0, chainTime: chainTime) },
            cursor: cursor)
    }

    private func accept(_ transfer: TransferRecord, chainTime: UInt64) -> AcceptedTransfer {
        let transaction = AcceptedTransaction(
            .addressActivity, blockTime: transfer.blockTime, chainTime: chainTime, intake: indexing.intake)
        switch PushPolicy.events.decide(transaction) {
        case .queued: return AcceptedTransfer(transfer, push: .due)
        case .tooOld: return AcceptedTransfer(transfer, push: .tooOld)
        case .nobody: return AcceptedTransfer(transfer, push: .off)
        }
    }

    /// `unnamed` are the outputs if the answer does not name the transaction's sender.
    private mutating func accept(
        _ record: OperationRecord, unnamed: [Parties.Payment]?, now: UInt64, chainTime: UInt64
    ) -> AcceptedOperation? {
        var binding: AcceptedOperation.GroupBinding?
        if let group = record.parsed.group {
            // A group message names its writer's key. The sender must be that writer.
            guard unnamed != nil || record.sender.map(group.namesSender) == true else {
                counts["group_message_unverified", default: 0] += 1
                return nil
            }
            binding = AcceptedOperation.GroupBinding(
                blindedGroupID: group.blindedGroupID, senderPublicKey: group.senderPublicKey)
        }
        counts[record.kind.description, default: 0] += 1
        return AcceptedOperation(
            operation: record, notifies: notifies(record, chainTime: chainTime), group: binding,
            pendingSender: unnamed.map { pendingSender(record, $0, now: now) })
    }

    private func pendingSender(
        _ record: OperationRecord, _ payments: [Parties.Payment], now: UInt64
    ) -> AcceptedOperation.PendingSender {
        AcceptedOperation.PendingSender(
            needsSender: PushPolicy.needsSender(record.parsed),
            paid: record.kind.paysReceiver
                ? payments.map { .init(address: $0.address, amount: $0.amount.amount) } : [],
            deadline: now.later(by: indexing.senderPatience),
            askingUntil: now.later(by: indexing.senderPersistence))
    }

    private mutating func notifies(_ record: OperationRecord, chainTime: UInt64) -> Bool {
        let transaction = AcceptedTransaction(
            PushKind(record.kind), channelName: record.parsed.channelName, blockTime: record.blockTime,
            chainTime: chainTime, intake: indexing.intake)
        let decision = PushPolicy.events.decide(transaction)
        if decision == .tooOld { tooOld += 1 }
        return decision == .queued
    }
}
