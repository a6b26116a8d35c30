import Kaspa

extension History {
    /// Operations of a list, oldest first: those after `position`, or from `blockTime` (milliseconds, inclusive) on.
    ///
    /// At most `limit`, all of one moment. A position stays good for ever, whatever it pointed at. What it costs is
    /// bounded by `limit` alone: that many rows of the index and as many look-ups. It ends before `limit` at the list's
    /// end only, as its readers take a short page for the last.
    public func operations(
        in list: OperationList, from blockTime: UInt64 = 0, after position: OperationPosition? = nil, limit: Int
    ) async throws(StoreError) -> [OperationRecord] {
        try await readPage { () throws(StoreError) -> [OperationRecord] in
            let (snapshot, network) = (database.snapshot(), network)
            let prefix = list.prefix
            // The next possible key after a position is the position itself and one byte more.
            let start =
                position.map { $0.bytes + [0] } ?? OperationPosition(blockTime: blockTime, transactionID: .zero).bytes
            let ids = try snapshot.list(
                .operationLists, from: prefix + start, below: KeyBytes.successor(ofPrefix: prefix), limit: limit
            ) { (row) throws(StoreError) in
                guard let id = Hash(bytes: Array(row.key.suffix(Hash.byteCount))) else {
                    throw ByteReader.corrupt("operation_lists")
                }
                return id
            }
            try snapshot.willRead {
                var ahead = RowsAhead()
                ahead.addOperations(ids)
                return ahead
            }
            var operations: [OperationRecord] = []
            for id in ids {
                guard let operation = try snapshot.operation(id, network: network) else { continue }
                operations.append(operation)
            }
            return operations
        }
    }
}

extension WriteTransaction {
    /// Writes an operation that no block of the virtual chain has accepted yet.
    func putPending(_ operation: OperationRecord, replacing known: OperationRecord? = nil) {
        touch(operation.transactionID, before: known?.activityState, after: operation.activityState)
        put(.operations, operation.transactionID.bytes, operation.encoded)
        for list in operation.listsBeforeAcceptance { put(.operationLists, list.prefix + operation.position.bytes, []) }
    }

    /// Writes an accepted operation, and moves it to the lists where it stands now.
    func put(_ operation: OperationRecord, replacing known: OperationRecord?) {
        touch(operation.transactionID, before: known?.activityState, after: operation.activityState)
        put(.operations, operation.transactionID.bytes, operation.encoded)
        let keys = operation.lists.map { $0.prefix + operation.position.bytes }
        let old = known.map { known in known.lists.map { $0.prefix + known.position.bytes } } ?? []
        for key in old where !keys.contains(key) { delete(.operationLists, key) }
        for key in keys where !old.contains(key) || known?.acceptance == nil { put(.operationLists, key, []) }
    }
}
