import Kaspa

extension RowsAhead {
    /// Adds what is remembered of these transactions: whether they were queued, and are out of the chain.
    mutating func addMarkers(of ids: [TransactionID]) {
        add(.enqueued, ids.lazy.map(\.bytes))
        add(.reverted, ids.lazy.map(\.bytes))
    }
}

/// What is remembered of transactions that were queued for push, so that none is queued twice.
extension Outbox {
    /// Forgets, oldest first, that transactions were enqueued before `time`; at most `limit` a call.
    ///
    /// With the marker of a payment that is out goes its correction, unless `keepsUncorrected`. Returns how many.
    @discardableResult
    public func pruneEnqueuedMarkers(
        before time: UInt64, limit: Int, keepsUncorrected: Bool
    ) async throws(StoreError) -> Int {
        var upper = ByteWriter()
        upper.write(time)
        let bound = upper.bytes
        let network = network
        return try await write { (transaction) throws(StoreError) in
            var markers: [(key: [UInt8], id: TransactionID)] = []
            try transaction.scan(.enqueuedByTime, from: [], below: bound) { (row) throws(StoreError) in
                guard markers.count < limit else { return false }
                guard let id = Hash(bytes: row.key.dropFirst(8)) else { throw ByteReader.corrupt("enqueued_by_time") }
                if keepsUncorrected, try transaction.isRetractionWaiting(id) { return true }
                markers.append((Array(row.key), id))
                return true
            }
            for marker in markers {
                transaction.delete(.enqueuedByTime, marker.key)
                transaction.delete(.enqueued, marker.id.bytes)
                try transaction.dropUnlistedTransfer(marker.id, network: network)
                try transaction.dropReverted(marker.id)
            }
            return markers.count
        }
    }
}
