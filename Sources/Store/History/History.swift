public import Kaspa

/// What the chain says: the cursor, operations with their lists and acceptances, plain transfers, activity and its
/// changes, senders that are still unknown, and how long all of it is kept.
///
/// It tells the outbox of each accepted operation (`WriteTransaction.enqueue`), of an event to take back
/// (`withdrawEvent`) and of a push that the chain took back (`noteReverted`), all in its own batch. It asks the
/// registry one thing: which addresses are watched (`WatchedAddresses`).
public struct History: StorePart {
    let engine: StoreEngine
}

extension History {
    /// The last chain block applied; nil in a fresh store.
    ///
    /// Answered from memory.
    public func cursor() async throws(StoreError) -> ChainCursor? { try database.cursor() }

    /// Sets the starting point without applying anything: the first start, or a jump over a pruned gap.
    public func resetCursor(to cursor: ChainCursor) async throws(StoreError) {
        try await write(.growth) { (transaction) throws(StoreError) in
            transaction.put(.meta, MetaKey.cursor, cursor.encoded)
        }
    }

    /// An operation, whether accepted or not; nil when the store does not know it.
    public func operation(_ id: TransactionID) async throws(StoreError) -> OperationRecord? {
        try await read { () throws(StoreError) -> OperationRecord? in
            try database.operation(id, network: network)
        }
    }
}

extension RowsAhead {
    /// Adds these operations.
    mutating func addOperations(_ ids: [TransactionID]) { add(.operations, ids.lazy.map(\.bytes)) }
}

extension StoreReading {
    /// The last chain block applied; nil in a fresh store.
    func cursor() throws(StoreError) -> ChainCursor? {
        guard let stored = try get(.meta, MetaKey.cursor) else { return nil }
        return try ChainCursor(encoded: stored)
    }

    /// What a notification of an operation carries, without the rest of its row; nil when it is not known.
    func operationPayload(_ id: TransactionID) throws(StoreError) -> OperationPayload? {
        guard let stored = try get(.operations, id.bytes) else { return nil }
        return try OperationRecord.payload(of: stored)
    }

    func operation(_ id: TransactionID, network: Network) throws(StoreError) -> OperationRecord? {
        guard let stored = try get(.operations, id.bytes) else { return nil }
        return try OperationRecord(transactionID: id, encoded: stored, network: network)
    }
}
