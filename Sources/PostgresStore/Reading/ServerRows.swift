import Kaspa
import Postgres
import Store

/// The committed state, for reads from any thread.
struct ServerRows: CommittedRows, ForwardedReading {
    let pool: ConnectionPool
    let rowCache: RowCache
    /// Whether this process is the one that writes: only then it knows what is in memory to be right.
    let isWriter: Bool

    private var cache: RowCache? { isWriter ? rowCache : nil }

    func rowInMemory(_ family: ColumnFamily, _ key: [UInt8]) -> [UInt8]?? {
        guard let row = rowCache.get(family, key) else { return nil }
        return .some(row)
    }

    func get(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> [UInt8]? {
        if let cache {
            if family == .meta { return cache.meta(key) }
            if let row = cache.get(family, key) { return row }
        }
        return try forward { (reading) throws(StoreError) in try reading.get(family, key) }
    }

    func scanUncached(
        _ family: ColumnFamily, from lower: [UInt8], _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try scan(family, from: lower, below: KeyBytes.successor(ofPrefix: []), atMost: nil, body)
    }

    /// Each read has a connection of its own: nothing would keep what is read ahead.
    func willRead(_ rows: () throws(StoreError) -> RowsAhead) {}

    func snapshot() -> any StoreReading { ServerSnapshot(pool) }

    func session() -> any StoreReading { ServerSession(pool, cache: cache) }

    func forward<Result>(
        mayRepeat: () -> Bool, _ body: (ServerReading) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try ConnectionLoan(pool).read(mayRepeat: mayRepeat) { (connection) throws(StoreError) in
            try body(ServerReading(connection, cache: cache))
        }
    }
}
