import Postgres
import Store

/// Reads of one moment: a transaction of its own, which begins with the first question.
final class ServerSnapshot: ForwardedReading {
    private let pool: ConnectionPool
    private var taken: (connection: Connection, reading: ServerReading)?

    init(_ pool: ConnectionPool) { self.pool = pool }

    deinit {
        guard let connection = taken?.connection else { return }
        try? connection.execute(script: "commit")
        pool.giveBack(connection)
    }

    func reading() throws(StoreError) -> ServerReading {
        if let taken { return taken.reading }
        var connection = try pool.take()
        do throws(StoreError) {
            try ServerSnapshot.begin(connection)
        } catch {
            // One that waited in the pool may have been lost meanwhile.
            guard connection.isLost else { throw error }
            connection = try pool.take()
            try ServerSnapshot.begin(connection)
        }
        let reading = ServerReading(connection, cache: nil)
        taken = (connection, reading)
        return reading
    }

    private static func begin(_ connection: Connection) throws(StoreError) {
        try checked { () throws(PostgresError) in
            try connection.execute(script: "begin transaction isolation level repeatable read read only")
        }
    }
}

/// Reads of the committed state through one connection, with what it is told to read ahead.
final class ServerSession: ForwardedReading {
    private let pool: ConnectionPool
    private let cache: RowCache
    private var taken: (connection: Connection, reading: ServerReading)?

    init(_ pool: ConnectionPool, cache: RowCache) {
        self.pool = pool
        self.cache = cache
    }

    deinit {
        if let connection = taken?.connection { pool.giveBack(connection) }
    }

    func reading() throws(StoreError) -> ServerReading {
        if let taken, !taken.connection.isLost { return taken.reading }
        let connection = try pool.take()
        let reading = ServerReading(connection, cache: cache)
        taken = (connection, reading)
        return reading
    }
}

/// A reading whose connection is taken when it is first asked.
protocol ForwardedReading: StoreReading {
    func reading() throws(StoreError) -> ServerReading
}

extension ForwardedReading {
    func get(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> [UInt8]? {
        try reading().get(family, key)
    }

    func scan(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try reading().scan(family, from: lower, below: upper, atMost: limit, body)
    }

    func scanBackwards(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try reading().scanBackwards(family, from: lower, below: upper, atMost: limit, body)
    }

    func isWatched(_ keys: [WatchKey]) throws(StoreError) -> [Bool] { try reading().isWatched(keys) }

    func watchIndexKey(_ key: WatchKey) -> [UInt8] { WatchIndex.subject(key) }

    func willRead(_ rows: () throws(StoreError) -> RowsAhead) throws(StoreError) { try reading().willRead(rows) }
}
