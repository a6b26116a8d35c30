/// The only writer: every change of the store happens here, one after another, each as one atomic batch.
///
/// One writer makes read-decide-write safe without locks: what a transaction read cannot change before it commits.
actor StoreWriter {
    private let executor = BlockingExecutor(label: "kasia.store.writer")
    private let database: Database
    private let watchOnlyScripts: WatchOnlyScripts

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(database: Database, watchOnlyScripts: WatchOnlyScripts) {
        self.database = database
        self.watchOnlyScripts = watchOnlyScripts
    }

    /// Runs `body`; what it put and deleted is committed together, or not at all when it throws.
    func write<Result: Sendable>(
        _ body: @Sendable (WriteTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let transaction = WriteTransaction(database)
        let result = try body(transaction)
        try transaction.commit(synced: false)
        // Before anybody hears of the success, so that nothing accepted later is missed.
        watchOnlyScripts.apply(transaction.watchOnlyChanges)
        return result
    }
}
