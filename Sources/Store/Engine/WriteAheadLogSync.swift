import Synchronization

/// Group commit: many callers that wait for durability share one fsync.
actor WriteAheadLogSync {
    private let executor: BlockingExecutor
    private let syncLog: @Sendable () throws(StoreError) -> Void
    private nonisolated let lastTicket = Atomic<UInt64>(0)
    private var durableTicket: UInt64 = 0
    private var lastFailure: (through: UInt64, error: StoreError)?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// `syncLog` blocks until everything written before it was called is on disk.
    init(
        executor: BlockingExecutor = BlockingExecutor(label: "kasia.store.sync"),
        syncLog: @escaping @Sendable () throws(StoreError) -> Void
    ) {
        self.executor = executor
        self.syncLog = syncLog
    }

    /// Returns when everything that was written before the call is on disk.
    nonisolated func sync() async throws(StoreError) {
        try await makeDurable(lastTicket.add(1, ordering: .acquiringAndReleasing).newValue)
    }

    /// How often `sync` was called.
    nonisolated var ticketsGiven: UInt64 { lastTicket.load(ordering: .acquiring) }

    private func makeDurable(_ ticket: UInt64) throws(StoreError) {
        // An fsync that began after this caller took its ticket has covered it already.
        guard durableTicket < ticket else { return }
        // A second fsync after a failed one can succeed without the pages that the first one lost: who waited for the
        // failed one hears of it, and is never told that its write is safe.
        if let lastFailure, ticket <= lastFailure.through { throw lastFailure.error }
        let covered = ticketsGiven
        do {
            try syncLog()
        } catch {
            lastFailure = (covered, error)
            throw error
        }
        durableTicket = covered
    }
}
