/// The only writer: every change of the store happens here, one after another, each as one atomic batch.
///
/// One writer makes read-decide-write safe without locks: what a transaction read cannot change before it commits.
actor StoreWriter {
    private let executor: BlockingExecutor
    private let database: Database
    private let admission: WriteAdmission
    private let limits: StoreLimits
    private let followers: CommitFollowers
    private let memory = WriterMemory()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        database: Database, admission: WriteAdmission, executor: BlockingExecutor, limits: StoreLimits,
        followers: CommitFollowers
    ) {
        self.database = database
        self.admission = admission
        self.executor = executor
        self.limits = limits
        self.followers = followers
    }

    /// Runs `body`; what it put and deleted is committed together, or not at all when it throws.
    func write<Result: Sendable>(
        _ change: StoreChange, _ body: @Sendable (WriteTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try admission.check(change)
        let transaction = WriteTransaction(database, memory: memory)
        let result = try body(transaction)
        let hasChanges = try transaction.writeChanges(limits)
        try transaction.checkKeys()
        try admission.perform { () throws(StoreError) in try database.commit(transaction, synced: false) }
        memory.take(over: transaction)
        followers.note(transaction.newlyWatched, hasChanges: hasChanges)
        return result
    }
}
