public import Kaspa

/// What one answer about the virtual chain changes: applied as a whole or not at all.
public struct ChainStep: Sendable {
    /// Chain blocks that are no longer in the virtual chain, high to low.
    public var removed: [BlockHash]
    /// Our operations that the added chain blocks accepted, low to high.
    public var accepted: [AcceptedOperation]
    /// Plain transfers that the added chain blocks accepted and that may touch watched addresses, low to high.
    public var transfers: [AcceptedTransfer]
    /// Where the virtual chain stands after this step.
    public var cursor: ChainCursor

    /// A step without plain transfers, unless some are given.
    public init(
        removed: [BlockHash], accepted: [AcceptedOperation], transfers: [AcceptedTransfer] = [], cursor: ChainCursor
    ) {
        self.removed = removed
        self.accepted = accepted
        self.transfers = transfers
        self.cursor = cursor
    }
}

/// An operation with its acceptance set, and what is to happen to it.
public struct AcceptedOperation: Sendable {
    /// The operation as the chain tells it now; without an acceptance nothing happens.
    public var operation: OperationRecord
    /// Whether devices may have to be told: false when it is too old, or pushes are off.
    public var notifies: Bool
    /// For group messages: whose key signs for the group.
    public var group: GroupBinding?
    /// Set when the sender has to be asked for: the event waits, and a group message is not verified yet.
    public var pendingSender: PendingSender?

    /// An operation of no group whose sender need not be asked for, unless given otherwise.
    public init(
        operation: OperationRecord, notifies: Bool, group: GroupBinding? = nil, pendingSender: PendingSender? = nil
    ) {
        self.operation = operation
        self.notifies = notifies
        self.group = group
        self.pendingSender = pendingSender
    }

    /// What is kept of an operation while its sender is asked for; see `UnresolvedSender`.
    public struct PendingSender: Equatable, Sendable {
        /// Whether the sender alone says who is told.
        public var needsSender: Bool
        /// Payments and handshakes: the outputs with an address.
        public var paid: [UnresolvedSender.PaidAddress]
        /// Until when the event waits, milliseconds since 1970.
        public var deadline: UInt64
        /// Until when the sender is asked for if no event waits, milliseconds since 1970.
        public var askingUntil: UInt64

        /// Takes two moments, not two spans of time.
        public init(needsSender: Bool, paid: [UnresolvedSender.PaidAddress], deadline: UInt64, askingUntil: UInt64) {
            self.needsSender = needsSender
            self.paid = paid
            self.deadline = deadline
            self.askingUntil = askingUntil
        }
    }

    /// A blinded group id (32 bytes) and the sender's x-only key (32 bytes).
    public struct GroupBinding: Equatable, Sendable {
        /// The group, as its messages name it; 32 bytes.
        public var blindedGroupID: [UInt8]
        /// The x-only key that the message names as its sender's; 32 bytes.
        public var senderPublicKey: [UInt8]

        /// Takes both as they are: 32 bytes each are the caller's part.
        public init(blindedGroupID: [UInt8], senderPublicKey: [UInt8]) {
            self.blindedGroupID = blindedGroupID
            self.senderPublicKey = senderPublicKey
        }
    }
}

/// What a step really changed.
public struct ChainStepResult: Equatable, Sendable {
    /// Operations and plain transfers that became accepted, those that removed blocks had accepted among them.
    public var accepted = 0
    /// Operations and plain transfers that removed blocks had accepted, whether or not the step accepts them again.
    public var reverted = 0
    /// Events queued for the first time.
    public var enqueued: [PushKind: Int] = [:]
    /// Events taken back by a reorganisation before they had enough confirmations.
    public var withdrawn = 0
    /// Transactions that were queued for push and are accepted no more after this step.
    public var revertedPushes: [PushKind: Int] = [:]
    /// Group messages refused because the group belongs to another key.
    public var foreignGroupMessages = 0
    /// Transfers to addresses watched for funds that are too old to be told of.
    public var tooOldTransfers = 0
    /// Operations whose sender is asked for from now on.
    public var unresolved = 0

    /// Nothing was changed.
    public init() {}
}

extension History {
    /// Stores operations seen in a block that the virtual chain has not accepted yet; known ones stay as they are.
    ///
    /// Returns how many were new.
    @discardableResult
    public func recordPending(_ operations: [OperationRecord]) async throws(StoreError) -> Int {
        try await write(.growth) { (transaction) throws(StoreError) in
            var new = 0
            try transaction.willRead {
                var ahead = RowsAhead()
                ahead.add(.operations, operations.lazy.map(\.transactionID.bytes))
                return ahead
            }
            for operation in operations where try transaction.get(.operations, operation.transactionID.bytes) == nil {
                transaction.putPending(operation)
                new += 1
            }
            return new
        }
    }

    /// Applies one answer about the virtual chain in one batch: acceptances, events and cursor.
    ///
    /// Applying the same step again changes nothing but the cursor. `withdrawsUnsent` says that events whose accepting
    /// block is removed are taken back if no delivery was made of them (push.confirmations > 0); `retractsPayments` that
    /// payments which stay out are to be corrected (push.retractions).
    public func apply(
        _ step: ChainStep, now: UInt64, withdrawsUnsent: Bool, retractsPayments: Bool = false
    ) async throws(StoreError) -> ChainStepResult {
        let network = network
        return try await write(.growth) { (transaction) throws(StoreError) in
            var result = ChainStepResult()
            var reverted: [RevertedPush] = []
            try transaction.willRead { () throws(StoreError) in try step.rows(in: transaction) }
            for block in step.removed {
                reverted += try transaction.revert(
                    block, network: network, withdrawsUnsent: withdrawsUnsent, into: &result)
            }
            // No registration can come between: there is one writer.
            let watched = try WatchedAddresses(among: Set(step.transfers.flatMap(\.record.listed)), self.database)
            var transfers = step.transfers[...]
            for accepted in step.accepted {
                // Events are numbered as the chain accepted them.
                while let transfer = transfers.first, transfer.record.precedes(accepted.operation) {
                    try transaction.accept(
                        transfers.removeFirst(), watched: watched, network: network, now: now, into: &result)
                }
                try transaction.accept(accepted, network: network, now: now, into: &result)
            }
            for transfer in transfers {
                try transaction.accept(transfer, watched: watched, network: network, now: now, into: &result)
            }
            // Only now: most of what was removed was accepted again by what was added.
            for push in reverted where try !transaction.isAccepted(push, network: network) {
                if try transaction.noteReverted(push, now: now, retractsPayments: retractsPayments) {
                    result.revertedPushes[push.kind, default: 0] += 1
                }
            }
            transaction.put(.meta, MetaKey.cursor, step.cursor.encoded)
            transaction.newBlueScore = step.cursor.blueScore
            return result
        }
    }
}

extension ChainStep {
    /// What applying it reads, for an engine that reads all of it at once.
    fileprivate func rows(in transaction: WriteTransaction) throws(StoreError) -> RowsAhead {
        try transaction.willRead {
            var blocks = RowsAhead()
            for block in removed { blocks.add(.accepted, prefix: block.bytes, limit: .max) }
            return blocks
        }
        var ids = accepted.map(\.operation.transactionID) + transfers.map(\.record.transactionID)
        for block in removed {
            try transaction.scan(.accepted, prefix: block.bytes) { (row) throws(StoreError) in
                if let id = Hash(bytes: row.key.dropFirst(Hash.byteCount)) { ids.append(id) }
                return true
            }
        }
        var ahead = RowsAhead()
        for family in [ColumnFamily.operations, .transfers, .unresolved] { ahead.add(family, ids.lazy.map(\.bytes)) }
        ahead.add(.groupBindings, accepted.lazy.compactMap(\.group?.blindedGroupID))
        ahead.addMarkers(of: ids)
        return ahead
    }
}

extension TransferRecord {
    fileprivate func precedes(_ operation: OperationRecord) -> Bool {
        guard let acceptance, let other = operation.acceptance else { return true }
        return acceptance.blueScore < other.blueScore
    }
}

extension StoreReading {
    fileprivate func isAccepted(_ push: RevertedPush, network: Network) throws(StoreError) -> Bool {
        push.kind == .addressActivity
            ? try transfer(push.id, network: network)?.acceptance != nil
            : try operation(push.id, network: network)?.acceptance != nil
    }
}

extension WriteTransaction {
    /// Takes back what a removed chain block accepted; returns what of it is not withdrawn.
    fileprivate func revert(
        _ block: BlockHash, network: Network, withdrawsUnsent: Bool, into result: inout ChainStepResult
    ) throws(StoreError) -> [RevertedPush] {
        var ids: [TransactionID] = []
        try scan(.accepted, prefix: block.bytes) { (row) throws(StoreError) in
            guard let id = Hash(bytes: row.key.dropFirst(Hash.byteCount)) else { throw ByteReader.corrupt("accepted") }
            ids.append(id)
            return true
        }
        var reverted: [RevertedPush] = []
        for id in ids {
            delete(.accepted, block.bytes + id.bytes)
            if let row = try unresolvedSender(of: id, network: network), row.acceptance.blockHash == block {
                try dropUnresolved(row, into: &result)
            }
            var push = try revertOperation(id, from: block, network: network)
            if push == nil { push = try revertTransfer(id, from: block, network: network) }
            guard let push else { continue }
            result.reverted += 1
            if withdrawsUnsent, try withdrawEvent(of: id, network: network) {
                try dropUnlistedTransfer(id, network: network)
                result.withdrawn += 1
            } else {
                reverted.append(push)
            }
        }
        return reverted
    }

    /// Takes back the acceptance of an operation by `block`; nil when it has none of it.
    private func revertOperation(
        _ id: TransactionID, from block: BlockHash, network: Network
    ) throws(StoreError) -> RevertedPush? {
        guard var operation = try operation(id, network: network), let acceptance = operation.acceptance,
            acceptance.blockHash == block
        else { return nil }
        let before = operation.activityState
        operation.acceptance = nil
        operation.acceptedAt = nil
        operation.isReverted = true
        touch(id, before: before, after: operation.activityState)
        put(.operations, id.bytes, operation.encoded)
        return RevertedPush(id: id, kind: PushKind(operation.kind), acceptance: acceptance)
    }

    /// Accepts an operation: binds its group, asks for its sender, or queues its event.
    fileprivate func accept(
        _ accepted: AcceptedOperation, network: Network, now: UInt64, into result: inout ChainStepResult
    ) throws(StoreError) {
        var operation = accepted.operation
        guard let acceptance = operation.acceptance else { return }
        let id = operation.transactionID
        let known = try self.operation(id, network: network)
        if let open = try unresolvedSender(of: id, network: network) {
            // The same step again changes nothing.
            guard open.acceptance != acceptance || operation.sender != nil else { return }
            try dropUnresolved(open, into: &result)
        }
        if let pending = accepted.pendingSender {
            guard let known, let sender = known.sender else {
                return try acceptUnresolved(
                    accepted, pending, known: known, acceptance: acceptance, now: now, into: &result)
            }
            // Learned before, and what follows from it with it.
            (operation.sender, operation.receiver, operation.amount) = (sender, known.receiver, known.amount)
        }
        if let group = accepted.group {
            let isVerified = accepted.pendingSender == nil || operation.sender?.xOnlyPublicKey == group.senderPublicKey
            guard isVerified, try bind(group) else {
                result.foreignGroupMessages += 1
                return
            }
        }
        operation.sender = operation.sender ?? known?.sender
        // What a transaction spends never changes.
        operation.fee = operation.fee ?? known?.fee
        try putAccepted(operation, acceptance, replacing: known, into: &result)
        guard accepted.notifies, try !isEnqueued(id) else { return }
        try enqueue(operation, acceptance, now: now, isCounted: false)
        result.enqueued[PushKind(operation.kind), default: 0] += 1
    }

    /// Writes an accepted operation and its acceptance, in the place of another one that it had.
    private func putAccepted(
        _ operation: OperationRecord, _ acceptance: OperationRecord.Acceptance, replacing known: OperationRecord?,
        into result: inout ChainStepResult
    ) throws(StoreError) {
        let id = operation.transactionID
        if let previous = known?.acceptance, previous.blockHash != acceptance.blockHash {
            delete(.accepted, previous.blockHash.bytes + id.bytes)
        }
        if known?.acceptance == nil {
            result.accepted += 1
            // Also for one that is not known: its row may have gone before what is known of its push.
            try forgetReverted(id)
        }
        put(operation, replacing: known)
        put(.accepted, acceptance.blockHash.bytes + id.bytes, [])
    }

    /// Whether the group is free or bound to this key; a free one is bound.
    func bind(_ group: AcceptedOperation.GroupBinding) throws(StoreError) -> Bool {
        if let owner = try get(.groupBindings, group.blindedGroupID) { return owner == group.senderPublicKey }
        put(.groupBindings, group.blindedGroupID, group.senderPublicKey)
        return true
    }
}
