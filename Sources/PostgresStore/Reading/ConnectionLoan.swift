import Postgres
import Store

/// A connection that the pool lends from the first read on, until this object goes.
final class ConnectionLoan {
    private let pool: ConnectionPool
    private(set) var connection: Connection?

    init(_ pool: ConnectionPool) { self.pool = pool }

    deinit {
        if let connection { pool.giveBack(connection) }
    }

    /// Runs a read.
    ///
    /// A connection that waited in the pool is dead after a restart of the server: then the read is made once more, on a
    /// new one, unless it must not be or has used up its time.
    func read<Result>(
        mayRepeat: () -> Bool = { true }, _ body: (Connection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let end = ContinuousClock.now + pool.deadline
        let first = if let connection { connection } else { try pool.take() }
        connection = first
        do throws(StoreError) {
            return try body(first)
        } catch {
            guard first.isLost else { throw error }
            guard mayRepeat(), ContinuousClock.now < end else { throw pool.note(error) }
        }
        let second = try pool.replace()
        connection = second
        do throws(StoreError) {
            return try body(second)
        } catch {
            throw second.isLost ? pool.note(error) : error
        }
    }
}
