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
            var lower: [UInt8] = []
            // Those that are kept are passed over.
            while markers.count < limit {
                let most = limit - markers.count
                let next = try transaction.list(.enqueuedByTime, from: lower, below: bound, limit: most) {
                    (row) throws(StoreError) -> (key: [UInt8], id: TransactionID) in
                    guard let id = Hash(bytes: row.key.dropFirst(8)) else {
                        throw ByteReader.corrupt("enqueued_by_time")
                    }
                    return (Array(row.key), id)
                }
                try transaction.willRead { () throws(StoreError) in try transaction.rows(ofMarkers: next.map(\.id)) }
                for marker in next {
                    if keepsUncorrected, try transaction.isRetractionWaiting(marker.id) { continue }
                    markers.append(marker)
                }
                guard next.count == most, let last = next.last else { break }
                lower = last.key + [0]
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

extension StoreReading {
    /// What is read of transactions whose markers go.
    fileprivate func rows(ofMarkers ids: [TransactionID]) throws(StoreError) -> RowsAhead {
        try willRead {
            var ahead = RowsAhead()
            ahead.add(.reverted, ids.lazy.map(\.bytes))
            ahead.add(.transfers, ids.lazy.map(\.bytes))
            return ahead
        }
        return try retractionRows(of: ids)
    }
}
