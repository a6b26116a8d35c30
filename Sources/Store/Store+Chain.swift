public import KasiaProtocol
public import Kaspa

/// What one answer about the virtual chain changes: applied as a whole or not at all.
public struct ChainStep: Sendable {
    /// Chain blocks that are no longer in the virtual chain, high to low.
    public var removed: [BlockHash]
    /// Our operations that the added chain blocks accepted, low to high.
    public var accepted: [AcceptedOperation]
    /// Where the virtual chain stands after this step.
    public var cursor: ChainCursor

    public init(removed: [BlockHash], accepted: [AcceptedOperation], cursor: ChainCursor) {
        self.removed = removed
        self.accepted = accepted
        self.cursor = cursor
    }
}

/// An operation with its acceptance set, and what is to happen to it.
public struct AcceptedOperation: Sendable {
    public var operation: OperationRecord
    /// Whether devices may have to be told: false when it is too old, or pushes are off.
    public var notifies: Bool
    /// For group messages: whose key signs for the group.
    public var group: GroupBinding?

    public init(operation: OperationRecord, notifies: Bool, group: GroupBinding? = nil) {
        self.operation = operation
        self.notifies = notifies
        self.group = group
    }

    /// A blinded group id (32 bytes) and the sender's x-only key (32 bytes).
    public struct GroupBinding: Equatable, Sendable {
        public var blindedGroupID: [UInt8]
        public var senderPublicKey: [UInt8]

        public init(blindedGroupID: [UInt8], senderPublicKey: [UInt8]) {
            self.blindedGroupID = blindedGroupID
            self.senderPublicKey = senderPublicKey
        }
    }
}

/// What a step really changed.
public struct ChainStepResult: Equatable, Sendable {
    public var accepted = 0
    public var reverted = 0
    /// Events queued for the first time.
    public var enqueued: [OperationKind: Int] = [:]
    /// Events taken back by a reorganisation before they had enough confirmations.
    public var withdrawn = 0
    /// Group messages refused because the group belongs to another key.
    public var foreignGroupMessages = 0

    public init() {}
}

extension Store {
    /// The last chain block applied; nil in a fresh store.
    public func cursor() throws(StoreError) -> ChainCursor? {
        guard let stored = try database.get(.meta, MetaKey.cursor) else { return nil }
        return try ChainCursor(encoded: stored)
    }

    /// Sets the starting point without applying anything: the first start, or a jump over a pruned gap.
    public func resetCursor(to cursor: ChainCursor) async throws(StoreError) {
        try await write(.growth) { (transaction) throws(StoreError) in
            transaction.put(.meta, MetaKey.cursor, cursor.encoded)
        }
    }

    public func operation(_ id: TransactionID) throws(StoreError) -> OperationRecord? {
        try database.operation(id, network: network)
    }

    /// Stores operations seen in a block that the virtual chain has not accepted yet; known ones stay as they are.
    ///
    /// Returns how many were new.
    @discardableResult
    public func recordPending(_ operations: [OperationRecord]) async throws(StoreError) -> Int {
        try await write(.growth) { (transaction) throws(StoreError) in
            var new = 0
            for operation in operations where try transaction.get(.operations, operation.transactionID.bytes) == nil {
                transaction.put(.operations, operation.transactionID.bytes, operation.encoded)
                new += 1
            }
            return new
        }
    }

    /// Applies one answer about the virtual chain in one batch: acceptances, events and cursor.
    ///
    /// Applying the same step again changes nothing but the cursor. `withdrawsUnsent` says that events whose accepting
    /// block is removed are taken back if no delivery was made of them (push.confirmations > 0).
    public func apply(
        _ step: ChainStep, now: UInt64, withdrawsUnsent: Bool
    ) async throws(StoreError) -> ChainStepResult {
        let network = network
        return try await write(.growth) { (transaction) throws(StoreError) in
            var result = ChainStepResult()
            for block in step.removed {
                try transaction.revert(block, network: network, withdrawsUnsent: withdrawsUnsent, into: &result)
            }
            for accepted in step.accepted {
                try transaction.accept(accepted, network: network, now: now, into: &result)
            }
            transaction.put(.meta, MetaKey.cursor, step.cursor.encoded)
            return result
        }
    }

    /// Forgets, oldest first, that transactions were enqueued before `time`; at most `limit` a call. Returns how many.
    @discardableResult
    public func pruneEnqueuedMarkers(before time: UInt64, limit: Int) async throws(StoreError) -> Int {
        var upper = ByteWriter()
        upper.write(time)
        let bound = upper.bytes
        return try await write { (transaction) throws(StoreError) in
            let keys = try transaction.list(.enqueuedByTime, from: [], below: bound, limit: limit) { Array($0.key) }
            for key in keys {
                transaction.delete(.enqueuedByTime, key)
                transaction.delete(.enqueued, Array(key.dropFirst(8)))
            }
            return keys.count
        }
    }
}

extension StoreReading {
    func operation(_ id: TransactionID, network: Network) throws(StoreError) -> OperationRecord? {
        guard let stored = try get(.operations, id.bytes) else { return nil }
        return try OperationRecord(transactionID: id, encoded: stored, network: network)
    }
}

extension WriteTransaction {
    /// Takes back what a removed chain block accepted.
    fileprivate func revert(
        _ block: BlockHash, network: Network, withdrawsUnsent: Bool, into result: inout ChainStepResult
    ) throws(StoreError) {
        var ids: [TransactionID] = []
        try scan(.accepted, prefix: block.bytes) { (row) throws(StoreError) in
            guard let id = Hash(bytes: row.key.dropFirst(Hash.byteCount)) else { throw ByteReader.corrupt("accepted") }
            ids.append(id)
            return true
        }
        for id in ids {
            delete(.accepted, block.bytes + id.bytes)
            guard var operation = try operation(id, network: network), operation.acceptance?.blockHash == block else {
                continue
            }
            operation.acceptance = nil
            put(.operations, id.bytes, operation.encoded)
            result.reverted += 1
            if withdrawsUnsent, try withdraw(id, network: network) { result.withdrawn += 1 }
        }
    }

    /// Deletes a transaction's event, and its marker, so that a later acceptance is a new event.
    private func withdraw(_ id: TransactionID, network: Network) throws(StoreError) -> Bool {
        guard let marker = try get(.enqueued, id.bytes) else { return false }
        var reader = ByteReader(marker)
        let time = try reader.readUInt64()
        let number = try reader.readUInt64()
        guard let stored = try get(.events, PushEvent.key(number)) else { return false }
        let event = try PushEvent(number: number, encoded: stored, network: network)
        guard event.progress == FanOutProgress() else { return false }
        delete(.events, PushEvent.key(number))
        delete(.enqueued, id.bytes)
        delete(.enqueuedByTime, WriteTransaction.markerTimeKey(time, id))
        try adjust(.events, by: -1)
        try adjust(.eventsWithdrawn, by: 1)
        return true
    }

    fileprivate func accept(
        _ accepted: AcceptedOperation, network: Network, now: UInt64, into result: inout ChainStepResult
    ) throws(StoreError) {
        var operation = accepted.operation
        guard let acceptance = operation.acceptance else { return }
        if let group = accepted.group, try !bind(group) {
            result.foreignGroupMessages += 1
            return
        }
        let id = operation.transactionID
        if let known = try self.operation(id, network: network) {
            operation.sender = operation.sender ?? known.sender
            if let previous = known.acceptance, previous.blockHash != acceptance.blockHash {
                delete(.accepted, previous.blockHash.bytes + id.bytes)
            }
            if known.acceptance == nil { result.accepted += 1 }
        } else {
            result.accepted += 1
        }
        put(.operations, id.bytes, operation.encoded)
        put(.accepted, acceptance.blockHash.bytes + id.bytes, [])
        guard accepted.notifies, try get(.enqueued, id.bytes) == nil else { return }
        try enqueue(operation, acceptance, now: now)
        result.enqueued[operation.kind, default: 0] += 1
    }

    /// Whether the group is free or bound to this key; a free one is bound.
    private func bind(_ group: AcceptedOperation.GroupBinding) throws(StoreError) -> Bool {
        if let owner = try get(.groupBindings, group.blindedGroupID) { return owner == group.senderPublicKey }
        put(.groupBindings, group.blindedGroupID, group.senderPublicKey)
        return true
    }

    private func enqueue(
        _ operation: OperationRecord, _ acceptance: OperationRecord.Acceptance, now: UInt64
    ) throws(StoreError) {
        var number: UInt64 = 1
        if let stored = try get(.meta, MetaKey.lastEvent) {
            var reader = ByteReader(stored)
            let last = try reader.readUInt64()
            try reader.finish()
            guard last < .max else { throw ByteReader.corrupt("last event") }
            number = last + 1
        }
        let event = PushEvent(
            number: number, transactionID: operation.transactionID, kind: operation.kind, sender: operation.sender,
            receiver: operation.receiver, amount: operation.amount, blockTime: operation.blockTime,
            acceptance: acceptance, queuedAt: now)
        put(.meta, MetaKey.lastEvent, PushEvent.key(number))
        put(.events, PushEvent.key(number), event.encoded)
        var marker = ByteWriter(capacity: 16)
        marker.write(now)
        marker.write(number)
        put(.enqueued, operation.transactionID.bytes, marker.bytes)
        put(.enqueuedByTime, WriteTransaction.markerTimeKey(now, operation.transactionID), [])
        try adjust(.events, by: 1)
        try adjust(.eventsCreated, by: 1)
    }

    private static func markerTimeKey(_ time: UInt64, _ id: TransactionID) -> [UInt8] {
        var writer = ByteWriter(capacity: 8 + Hash.byteCount)
        writer.write(time)
        writer.write(id)
        return writer.bytes
    }
}
