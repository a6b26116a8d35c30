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

    private let indexing: ChainIndexing
    private let reader: OperationReader
    private let removed: [BlockHash]
    private let cursor: ChainCursor
    private var accepted: [Accepted] = []
    /// Kinds counted: those of operations, and what is ours and yet no operation.
    private(set) var counts: [String: Int] = [:]
    /// Operations not pushed because of their age.
    private(set) var tooOld = 0

    /// Keeps only the transactions that are ours; `cursor` stays where it is when no block was added.
    init(_ update: VirtualChainUpdate, after cursor: ChainCursor, indexing: ChainIndexing) {
        self.indexing = indexing
        reader = OperationReader(network: indexing.network)
        removed = update.removed
        self.cursor =
            update.added.last.map {
                ChainCursor(
                    blockHash: $0.header.hash, daaScore: $0.header.daaScore, blueScore: $0.header.blueScore,
                    timestamp: $0.header.timestamp)
            } ?? cursor
        for block in update.added {
            for transaction in block.transactions where PayloadGrammar.classify(transaction.payload) != .notOurs {
                accepted.append(Accepted(transaction: transaction, block: block.header))
            }
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
                let unnamed = entry.transaction.inputs.first?.spent == nil ? entry.transaction : nil
                guard let accepted = accept(record, operation, withoutSender: unnamed, now: now) else { continue }
                operations.append(accepted)
            }
        }
        return ChainStep(removed: removed, accepted: operations, cursor: cursor)
    }

    /// `unnamed` is the transaction if the answer does not say whose coin it spends.
    private mutating func accept(
        _ record: OperationRecord, _ operation: PayloadOperation, withoutSender unnamed: Transaction?, now: UInt64
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
            operation: record, notifies: notifies(record, now: now), group: binding,
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
            deadline: now.addingClamped(indexing.senderPatience),
            askingUntil: now.addingClamped(indexing.senderPersistence))
    }

    private mutating func notifies(_ record: OperationRecord, now: UInt64) -> Bool {
        guard indexing.enqueuesEvents, record.kind != .selfStash, record.kind != .broadcast else { return false }
        let (limit, overflow) = record.blockTime.addingReportingOverflow(indexing.maximumAge)
        guard overflow || limit >= now else {
            tooOld += 1
            return false
        }
        return true
    }
}

extension UInt64 {
    /// The sum, or the end of time.
    func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
