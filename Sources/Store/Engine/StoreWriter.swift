/// The only writer: every change of the store happens here, one after another, each as one atomic batch.
///
/// One writer makes read-decide-write safe without locks: what a transaction read cannot change before it commits.
actor StoreWriter {
    private let executor: BlockingExecutor
    private let database: Database
    private let watchedScripts: WatchedScripts
    private let admission: WriteAdmission
    private let limits: StoreLimits
    private let onChanges: @Sendable () -> Void
    private let waiting = WaitingQueues()
    private let lowerBounds = KeyLowerBounds()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        database: Database, watchedScripts: WatchedScripts, admission: WriteAdmission, executor: BlockingExecutor,
        limits: StoreLimits, onChanges: @escaping @Sendable () -> Void
    ) {
        self.database = database
        self.watchedScripts = watchedScripts
        self.admission = admission
        self.executor = executor
        self.limits = limits
        self.onChanges = onChanges
    }

    /// Runs `body`; what it put and deleted is committed together, or not at all when it throws.
    func write<Result: Sendable>(
        _ change: StoreChange, _ body: @Sendable (WriteTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try admission.check(change)
        let transaction = WriteTransaction(database, waiting: waiting, lowerBounds: lowerBounds)
        let result = try body(transaction)
        let hasChanges = try transaction.writeChanges(limits)
        try transaction.checkKeys()
        try admission.perform { () throws(StoreError) in try transaction.commit(synced: false) }
        waiting.commit(transaction.waitingChanges)
        lowerBounds.commit(transaction.lowerBoundChanges)
        // Before anybody hears of the success, so that nothing accepted later is missed.
        watchedScripts.insert(transaction.newlyWatched)
        if hasChanges { onChanges() }
        return result
    }
}
