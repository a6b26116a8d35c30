import Postgres
import Store

/// Reads of one moment: a transaction of its own, which begins with the first question.
final class ServerSnapshot: ForwardedReading {
    private let loan: ConnectionLoan
    private var reading: ServerReading?

    init(_ pool: ConnectionPool) { loan = ConnectionLoan(pool) }

    deinit {
        try? loan.connection?.execute(script: "commit")
    }

    /// Once it has begun nothing is made again: it would be of another moment.
    func forward<Result>(
        mayRepeat: () -> Bool, _ body: (ServerReading) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let reading = try begun()
        return try loan.read(mayRepeat: { false }) { (_) throws(StoreError) in try body(reading) }
    }

    private func begun() throws(StoreError) -> ServerReading {
        if let reading { return reading }
        let begun = try loan.read { (connection) throws(StoreError) in
            try checked { () throws(PostgresError) in
                try connection.execute(script: "begin transaction isolation level repeatable read read only")
            }
            return ServerReading(connection, cache: nil)
        }
        reading = begun
        return begun
    }
}

/// Reads of the committed state through one connection, with what it is told to read ahead.
final class ServerSession: ForwardedReading {
    private let loan: ConnectionLoan
    private let cache: RowCache?
    private var reading: (of: Connection, reading: ServerReading)?

    init(_ pool: ConnectionPool, cache: RowCache?) {
        loan = ConnectionLoan(pool)
        self.cache = cache
    }

    func forward<Result>(
        mayRepeat: () -> Bool, _ body: (ServerReading) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try loan.read(mayRepeat: mayRepeat) { (connection) throws(StoreError) in
            try body(reading(through: connection))
        }
    }

    /// What was read ahead through a lost connection is read again.
    private func reading(through connection: Connection) -> ServerReading {
        if let reading, reading.of === connection { return reading.reading }
        let new = ServerReading(connection, cache: cache)
        reading = (connection, new)
        return new
    }
}
