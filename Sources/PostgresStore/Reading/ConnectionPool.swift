import Postgres
import Store
import Synchronization

/// What one thread hands over to another and does not keep: a connection is for one of them at a time.
struct Handover<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// Connections for reads: as many as there are reads at once, each for one of them at a time.
final class ConnectionPool: Sendable {
    /// Connections that nobody uses, beyond which a returned one is closed.
    private static let idle = StoreEngine.serviceThreads + StoreEngine.pageThreads

    private let settings: ConnectionSettings
    private let waiting = Mutex<[Handover<Connection>]>([])

    init(_ settings: ConnectionSettings) { self.settings = settings }

    /// Takes one out, or makes one.
    func take() throws(StoreError) -> Connection {
        if let loan = waiting.withLock({ $0.popLast() }) { return loan.value }
        return try checked { () throws(PostgresError) in try Connection(settings) }
    }

    func giveBack(_ connection: Connection) {
        guard !connection.isLost else { return }
        let loan = Handover(connection)
        waiting.withLock { if $0.count < ConnectionPool.idle { $0.append(loan) } }
    }

    /// Lends a connection to `body`, which only reads; once more if it is lost, as after a server's restart.
    func with<Result>(_ body: (Connection) throws(StoreError) -> Result) throws(StoreError) -> Result {
        let connection = try take()
        do throws(StoreError) {
            defer { giveBack(connection) }
            return try body(connection)
        } catch {
            guard connection.isLost else { throw error }
        }
        // Those that wait are as old.
        waiting.withLock { $0 = [] }
        let fresh = try take()
        defer { giveBack(fresh) }
        return try body(fresh)
    }
}
