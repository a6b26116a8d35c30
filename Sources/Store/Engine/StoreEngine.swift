import Kaspa

/// The open database with its one writer and its reading threads: what the parts of the store share.
final class StoreEngine: Sendable {
    /// Threads for reads that the service waits for: of the chain, of registrations, of the dispatcher.
    private static let serviceThreads = 2
    /// Threads for pages of history, which strangers ask for; they yield to all others when processors are short.
    private static let pageThreads = 2
    private static let pageNiceness: CInt = 5

    let path: String
    /// The network whose addresses the rows hold.
    let network: Network
    let limits: StoreLimits
    let database: Database
    let admission: WriteAdmission
    /// The scripts of all watched addresses, ahead of every registration's answer; empty if read-only.
    let watchedScripts: WatchedScripts
    /// Says that there may be new changes of activity.
    let changeNotice = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let writer: StoreWriter
    private let logSync: WriteAheadLogSync
    private let serviceReads = ReadThreads(count: serviceThreads)
    private let pageReads = ReadThreads(count: pageThreads, niceness: pageNiceness)

    init(
        path: String, network: Network, limits: StoreLimits, database: Database, admission: WriteAdmission,
        watchedScripts: WatchedScripts
    ) {
        self.path = path
        self.network = network
        self.limits = limits
        self.database = database
        self.admission = admission
        self.watchedScripts = watchedScripts
        // One thread for both: a sync that begins while a write fails would end the process (see WriteAdmission). Writes
        // wait for a sync, and those that waited share the next one.
        let executor = BlockingExecutor(label: "kasia.store.writer")
        writer = StoreWriter(
            database: database, watchedScripts: watchedScripts, admission: admission, executor: executor,
            limits: limits, onChanges: { [notice = changeNotice.continuation] in notice.yield() })
        logSync = WriteAheadLogSync(executor: executor) { () throws(StoreError) in
            try admission.perform { () throws(StoreError) in try database.syncWriteAheadLog() }
        }
    }

    /// Runs `body` on the writer; what it put and deleted is committed together, or not at all when it throws.
    func write<Result: Sendable>(
        _ change: StoreChange, _ body: @Sendable (WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await writer.write(change, body)
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
    func sync() async throws(StoreError) { try await logSync.sync() }
}

/// A part of the store: a value with verbs, each of which is one atomic batch or one read.
protocol StorePart: Sendable {
    var engine: StoreEngine { get }
}

extension StorePart {
    var network: Network { engine.network }
    var limits: StoreLimits { engine.limits }
    var database: Database { engine.database }
    var admission: WriteAdmission { engine.admission }

    func write<Result: Sendable>(
        _ change: StoreChange = .upkeep, _ body: @Sendable (WriteTransaction) throws(StoreError) -> Result
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
