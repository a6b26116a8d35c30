import Dispatch
import Postgres
import Store
import Synchronization

/// What one thread hands over to another and does not keep: a connection is for one of them at a time.
struct Handover<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// Connections for reads: as many as there are reads at once, each for one of them at a time.
///
/// Once the server cannot be reached, reads fail at once: each would otherwise hold its thread for as long as the hosts
/// may take to let it in, and those behind it would wait, too. Meanwhile the pool itself tries to connect.
final class ConnectionPool: Sendable {
    /// Connections that nobody uses, beyond which a returned one is closed.
    private static let idle = StoreEngine.serviceThreads + StoreEngine.pageThreads
    /// Between two attempts to find the server again: so long reads may still fail after it is back.
    private static let pause = DispatchTimeInterval.milliseconds(200)

    private struct State {
        var idle: [Handover<Connection>] = []
        /// Why reads fail at once.
        var trouble: StoreError?
        /// Whether somebody tries to connect until that is over.
        var isSearching = false
    }

    private let settings: ConnectionSettings
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "kasia.store.search")

    init(_ settings: ConnectionSettings) { self.settings = settings }

    /// Why reads fail at the moment; nil while they do not.
    var trouble: StoreError? { state.withLock { $0.trouble } }

    /// How long an awaited answer may stay silent.
    var deadline: Duration { settings.deadline }

    /// Runs a read, which is made twice where the first connection turns out to be dead.
    func with<Result>(_ body: (Connection) throws(StoreError) -> Result) throws(StoreError) -> Result {
        try ConnectionLoan(self).read(body)
    }

    /// Takes a connection back, which proves that the server answers unless it is lost.
    func giveBack(_ connection: Connection) {
        guard !connection.isLost else { return }
        let loan = Handover(connection)
        state.withLock { state in
            state.trouble = nil
            if state.idle.count < ConnectionPool.idle { state.idle.append(loan) }
        }
    }

    /// One that waits, or a new one.
    func take() throws(StoreError) -> Connection {
        while let loan = state.withLock({ $0.idle.popLast() }) {
            // Another server may have replaced its own since.
            if loan.value.timeline >= settings.history?.timeline ?? 0 { return loan.value }
        }
        return try connect()
    }

    /// A new one for one that was lost while it waited: the others are as old.
    func replace() throws(StoreError) -> Connection {
        state.withLock { $0.idle = [] }
        return try connect()
    }

    private func connect() throws(StoreError) -> Connection {
        if let trouble { throw trouble }
        do throws(PostgresError) {
            return try Connection(settings)
        } catch {
            throw note(ConnectionPool.absence(error))
        }
    }

    /// Whatever the server says to somebody who wants in, it says nothing about what was to be read.
    private static func absence(_ error: PostgresError) -> StoreError {
        StoreError(.unavailable, StoreError(error).message)
    }

    /// Notes why a read failed, and searches for the server from now on: nobody else may, as changes are refused
    /// and reads fail until it is found.
    func note(_ error: StoreError) -> StoreError {
        let begins = state.withLock { state in
            state.trouble = error
            state.idle = []
            defer { state.isSearching = true }
            return !state.isSearching
        }
        if begins { queue.async { [weak self] in self?.search() } }
        return error
    }

    private func search() {
        do throws(PostgresError) {
            giveBack(try Connection(settings))
        } catch {
            let error = ConnectionPool.absence(error)
            state.withLock { if $0.trouble != nil { $0.trouble = error } }
        }
        let goesOn = state.withLock { state in
            state.isSearching = state.trouble != nil
            return state.isSearching
        }
        if goesOn { queue.asyncAfter(deadline: .now() + ConnectionPool.pause) { [weak self] in self?.search() } }
    }
}
