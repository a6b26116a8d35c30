package import Kaspa

/// What keeps the store's rows: RocksDB in this process, or a database server.
///
/// One process writes at a time, and a backend sees to it. A transaction's closure may run more than once before it is
/// committed: it changes nothing but the transaction. One of upkeep may be kept and run once more later, so it
/// should hold no reference to the backend.
package protocol StoreBackend: AnyObject, Sendable {
    /// What was committed last.
    var rows: any CommittedRows { get }

    /// Runs `body` as one transaction; what it put and deleted is committed together, or not at all when it throws.
    func write<Result: Sendable>(
        _ change: StoreChange, _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result

    /// Returns when everything written before the call is safe, whatever happens to the machine.
    func sync() async throws(StoreError)

    /// Why such a change is refused at the moment; nil while it is not.
    func trouble(with change: StoreChange) -> StoreError?

    /// Whether it keeps the log's days apart (`LogDay`), so that one is forgotten at once.
    var keepsLogByDay: Bool { get }

    /// Forgets the days of the log that end before `time`, where it keeps them apart.
    ///
    /// One that somebody reads, or that has younger rows too, is left for a later call.
    func forgetLogDays(before time: UInt64) async throws(StoreError)

    /// Whether this process may begin what cannot be taken back: false when another may have taken over the store.
    var mayAct: Bool { get }

    /// The number of the last write: it grows with every one.
    var lastWrite: UInt64 { get }

    /// Every family in numbers, in the order of the schema; estimates.
    func statistics() async throws(StoreError) -> [Store.FamilyStatistics]

    /// What the engine keeps in memory.
    var memory: Store.Memory { get }

    /// How the devices are shared out, and which shard this is.
    var shards: ShardPlan { get }

    /// What several processes write of a store that is shared out; nil: this one alone writes.
    var sharedValues: (any SharedValues)? { get }

    /// Told when the store object goes: what is kept for a later moment is given up, and holds nothing open.
    func storeGoes()

    /// Ends when files or connections are closed, after the last reference to the store is gone.
    var closing: AsyncStream<Never> { get }
}

extension StoreBackend {
    package var mayAct: Bool { true }
    package var keepsLogByDay: Bool { false }
    package var shards: ShardPlan { .single }
    package var sharedValues: (any SharedValues)? { nil }
    package func forgetLogDays(before time: UInt64) async throws(StoreError) {}

    func check(_ change: StoreChange) throws(StoreError) {
        if let trouble = trouble(with: change) { throw trouble }
    }
}

/// What follows from a commit outside the rows: handed on before anybody hears of the success.
package struct CommitFollowers: Sendable {
    let watchedScripts: WatchedScripts
    let onChanges: @Sendable () -> Void

    /// Tells of addresses that are watched from now on, so that nothing accepted later is missed, and of new changes of
    /// activity.
    package func note(_ newlyWatched: [Address], hasChanges: Bool) {
        watchedScripts.insert(newlyWatched)
        if hasChanges { onChanges() }
    }
}

/// The open backend with its reading threads: what the parts of the store share.
package final class StoreEngine: Sendable {
    /// Threads for reads that the service waits for: of the chain, of registrations, of the dispatcher.
    package static let serviceThreads = 2
    /// Threads for pages of history, which strangers ask for; they yield to all others when processors are short.
    package static let pageThreads = 2
    private static let pageNiceness: CInt = 5

    /// The network whose addresses the rows hold.
    let network: Network
    let limits: StoreLimits
    let backend: any StoreBackend
    let database: any CommittedRows
    /// The scripts of all watched addresses, ahead of every registration's answer; empty if read-only.
    let watchedScripts: WatchedScripts
    /// Says that there may be new changes of activity.
    let changeNotice = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let serviceReads = ReadThreads(count: serviceThreads)
    private let pageReads = ReadThreads(count: pageThreads, niceness: pageNiceness)

    package init<Failure: Error>(
        network: Network, limits: StoreLimits, watchedScripts: WatchedScripts,
        _ makeBackend: (CommitFollowers) throws(Failure) -> any StoreBackend
    ) throws(Failure) {
        self.network = network
        self.limits = limits
        self.watchedScripts = watchedScripts
        backend = try makeBackend(
            CommitFollowers(
                watchedScripts: watchedScripts, onChanges: { [notice = changeNotice.continuation] in notice.yield() }))
        database = backend.rows
    }

    /// Begins the filter of watched scripts of a store that was just opened: with nothing, or with a walk through what
    /// is watched.
    package func beginWatching() throws(StoreError) {
        guard try database.watchesAnything(on: network) else { return watchedScripts.beginEmpty() }
        watchedScripts.requestFilling()
    }

    /// Runs `body` as one transaction; what it put and deleted is committed together, or not at all when it throws.
    func write<Result: Sendable>(
        _ change: StoreChange, _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await backend.write(change, body)
    }

    /// Runs a read that the service waits for, on a thread of its own.
    func read<Result: Sendable>(
        _ body: @Sendable () throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await serviceReads.run(body)
    }

    /// Runs a read of history that may take its time, on a thread of its own.
    func readPage<Result: Sendable>(
        _ body: @Sendable () throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await pageReads.run(body)
    }

    /// Reads one row: at once if it is in memory, else on a thread for reads.
    func row(_ family: ColumnFamily, _ key: [UInt8]) async throws(StoreError) -> [UInt8]? {
        if let known = database.rowInMemory(family, key) { return known }
        return try await read { () throws(StoreError) in try database.get(family, key) }
    }

    /// Returns when everything written before the call is on disk; calls that wait together share one fsync.
    func sync() async throws(StoreError) { try await backend.sync() }
}

/// A part of the store: a value with verbs, each of which is one atomic batch or one read.
protocol StorePart: Sendable {
    var engine: StoreEngine { get }
}

extension StorePart {
    var network: Network { engine.network }
    var limits: StoreLimits { engine.limits }
    var database: any CommittedRows { engine.database }
    var backend: any StoreBackend { engine.backend }

    func write<Result: Sendable>(
        _ change: StoreChange = .upkeep, _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await engine.write(change, body)
    }

    func read<Result: Sendable>(
        _ body: @Sendable () throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await engine.read(body)
    }

    func readPage<Result: Sendable>(
        _ body: @Sendable () throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await engine.readPage(body)
    }
}
