import Kaspa
import Postgres
import Store

/// The committed state, for reads from any thread.
struct ServerRows: CommittedRows {
    let network: Network
    let pool: ConnectionPool
    let rowCache: RowCache

    func rowInMemory(_ family: ColumnFamily, _ key: [UInt8]) -> [UInt8]?? {
        guard let row = rowCache.get(family, key) else { return nil }
        return .some(row)
    }

    func get(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> [UInt8]? {
        if family == .meta { return rowCache.meta(key) }
        if let row = rowCache.get(family, key) { return row }
        return try with { (reading) throws(StoreError) in try reading.get(family, key) }
    }

    func scan(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try once { (reading) throws(StoreError) in
            try reading.scan(family, from: lower, below: upper, atMost: limit, body)
        }
    }

    func scanBackwards(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try once { (reading) throws(StoreError) in
            try reading.scanBackwards(family, from: lower, below: upper, atMost: limit, body)
        }
    }

    func scanUncached(
        _ family: ColumnFamily, from lower: [UInt8], _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try scan(family, from: lower, below: KeyBytes.successor(ofPrefix: []), atMost: nil, body)
    }

    func isWatched(_ keys: [WatchKey]) throws(StoreError) -> [Bool] {
        try with { (reading) throws(StoreError) in try reading.isWatched(keys) }
    }

    func watchIndexKey(_ key: WatchKey) -> [UInt8] { WatchIndex.subject(key) }

    func snapshot() -> any StoreReading { ServerSnapshot(pool) }

    func session() -> any StoreReading { ServerSession(pool, cache: rowCache) }

    /// Registrations say what is watched: the index has only hashes.
    func scanWatchedAddresses(_ body: (UnsafeRawBufferPointer) -> Bool) throws(StoreError) {
        let snapshot = snapshot()
        try snapshot.scan(.devices, prefix: []) { (row) throws(StoreError) in
            let device = try DeviceRecord(encoded: Array(row.value), network: network)
            return device.watchKeys.allSatisfy { key in
                switch key {
                case .address, .primary, .funds: key.bytes.dropFirst().withUnsafeBytes(body)
                case .group, .inbox, .channel: true
                }
            }
        }
    }

    private func with<Result>(
        _ body: (ServerReading) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try pool.with { (connection) throws(StoreError) in try body(ServerReading(connection, cache: rowCache)) }
    }

    /// The same for what must not be told the same rows twice.
    private func once(_ body: (ServerReading) throws(StoreError) -> Void) throws(StoreError) {
        let connection = try pool.take()
        defer { pool.giveBack(connection) }
        try body(ServerReading(connection, cache: rowCache))
    }
}
