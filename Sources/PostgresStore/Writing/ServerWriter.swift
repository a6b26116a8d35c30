import Foundation
import Postgres
import Store
import Synchronization

/// The only writer: changes happen here, one after another, those that wait together in one transaction.
///
/// Each transaction has a number, which it leaves in the table `writer`. When the answer to a commit is lost, the number
/// found there on the next connection says what became of it: nothing is guessed. Settlements are committed without
/// waiting for the disk; their changes are kept until a later commit has reached it, and are made again if a server that
/// crashed has lost them.
actor ServerWriter {
    /// Changes that share a transaction, at most.
    private static let mostTogether = 256
    /// Transactions that may be lost by a crash of the server, at most, before one waits for the disk.
    private static let mostUnsafe = 64
    /// Between two attempts to connect, seconds.
    private static let pause = 0.05

    private nonisolated let executor = BlockingExecutor(label: "kasia.store.writer")
    private nonisolated let queue = WriteQueue()
    private nonisolated let state: ServerState
    private let cache: RowCache
    private var memory = WriterMemory()
    private let followers: CommitFollowers
    private let limits: StoreLimits
    private var writer: WriterConnection
    /// The number of the last transaction.
    private var batch: UInt64
    /// What may be lost by a crash of the server, in order.
    private var unsafeBatches: [(number: UInt64, jobs: [WriteJob])] = []
    /// What is being committed: after a lost answer nobody knows whether it was.
    private var doubt: Doubt?

    private struct Doubt {
        var number: UInt64
        var transaction: WriteTransaction
        /// Those whose changes are in it.
        var jobs: [WriteJob]
        /// Whether it makes again what a crash has lost.
        var isAgain: Bool
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// `writer` has taken over after the transaction `batch`, and `cache` has all of `meta`.
    init(
        _ writer: Handover<WriterConnection>, batch: UInt64, cache: RowCache, state: ServerState, limits: StoreLimits,
        followers: CommitFollowers
    ) {
        self.writer = writer.value
        self.batch = batch
        self.cache = cache
        self.state = state
        self.limits = limits
        self.followers = followers
    }

    /// Runs `body` as a part of the next transaction; returns when that is committed.
    nonisolated func write<Result: Sendable>(
        _ change: StoreChange, isDurable: Bool,
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let isAbandoned = Abandonment()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let job = WriteJob(
                    change, isDurable: isDurable, limits, isAbandoned: { isAbandoned.isSaid }, body, continuation)
                if queue.add(job) { Task { await self.serve() } }
            }
        } onCancel: {
            isAbandoned.say()
        }
        return try result.get()
    }

    /// Whether whoever asked for a change has been cancelled.
    private final class Abandonment: Sendable {
        private let value = Atomic(false)

        var isSaid: Bool { value.load(ordering: .acquiring) }
        func say() { value.store(true, ordering: .releasing) }
    }

    private func serve() {
        while true {
            let jobs = queue.next(atMost: ServerWriter.mostTogether)
            guard !jobs.isEmpty else { return }
            commit(jobs)
        }
    }

    /// Commits changes together and tells each what came of it.
    private func commit(_ jobs: [WriteJob]) {
        var jobs = jobs
        while !jobs.isEmpty {
            do throws(StoreError) {
                if let failure = state.failure { throw failure }
                let isCommitted = writer.isLost ? try restore() : false
                if !isCommitted { try attempt(jobs, isDurable: jobs.contains(where: \.isDurable)) }
                state.noteSuccess()
                return jobs.forEach { $0.finish(nil) }
            } catch {
                jobs = survivors(of: jobs, after: error)
            }
        }
    }

    /// Those that are tried again after an error; the others are told of it.
    private func survivors(of jobs: [WriteJob], after error: StoreError) -> [WriteJob] {
        guard state.passes(error) else {
            doubt = nil
            // One that the server refuses is found by trying each alone.
            if jobs.count > 1, !error.refusesEveryWrite {
                jobs.forEach { commit([$0]) }
            } else {
                jobs.forEach { $0.finish(error) }
            }
            return []
        }
        let waitsLong = state.isLostForLong
        for job in queue.takeImpatient(waitsLong) + jobs.filter({ $0.isImpatient(waitsLong) }) { job.finish(error) }
        Thread.sleep(forTimeInterval: ServerWriter.pause)
        return jobs.filter { !$0.isImpatient(waitsLong) }
    }

    /// Runs changes in one transaction and commits it.
    private func attempt(_ jobs: [WriteJob], isDurable: Bool, isAgain: Bool = false) throws(StoreError) {
        let transaction = WriteTransaction(ServerReading(writer.connection, cache: cache), memory: memory)
        var done: [WriteJob] = []
        for job in jobs {
            // On top of those before, so that what one leaves that throws can be dropped.
            let own = WriteTransaction(on: transaction)
            if job.run(own) {
                transaction.absorb(own)
                done.append(job)
            } else if writer.isLost {
                throw StoreError(.unavailable, "PostgreSQL: the connection was lost")
            }
        }
        guard !transaction.isEmpty || isDurable && !unsafeBatches.isEmpty else { return memory.take(over: transaction) }
        let waits = isDurable || unsafeBatches.count >= ServerWriter.mostUnsafe
        let doubt = Doubt(number: batch + 1, transaction: transaction, jobs: done, isAgain: isAgain)
        self.doubt = doubt
        try writer.commit(transaction, number: doubt.number, isDurable: waits)
        take(over: doubt)
        if waits { forgetUnsafe() }
    }

    /// Takes over what is committed now, and may still be lost by a crash of the server.
    private func take(over doubt: Doubt) {
        self.doubt = nil
        batch = doubt.number
        state.set(lastWrite: batch)
        cache.take(over: doubt.transaction)
        memory.take(over: doubt.transaction)
        followers.note(
            doubt.transaction.newlyWatched, hasChanges: !doubt.transaction.writes(to: .changes).isEmpty)
        if !doubt.isAgain { unsafeBatches.append((batch, doubt.jobs)) }
        state.set(hasUnsafe: true)
    }

    private func forgetUnsafe() {
        unsafeBatches = []
        state.set(hasUnsafe: false)
    }

    /// Connects again, and makes true what was said before the connection was lost; returns whether the transaction
    /// whose answer was lost had been committed.
    private func restore() throws(StoreError) -> Bool {
        let last = try writer.reconnect()
        var isCommitted = false
        if let doubt, doubt.number == last {
            take(over: doubt)
            isCommitted = !doubt.isAgain
        } else if last != batch {
            // A crash of the server has lost some that nobody waited for, and memory knows them.
            try reload()
        }
        doubt = nil
        batch = last
        for lost in unsafeBatches where lost.number > batch {
            try attempt(lost.jobs, isDurable: true, isAgain: true)
        }
        // Now all of it is safe: what follows, and what was committed before the answer was lost.
        try attempt([], isDurable: true, isAgain: true)
        return isCommitted
    }

    /// Forgets what memory says, which may be of another moment than what the server says.
    private func reload() throws(StoreError) {
        memory = WriterMemory()
        cache.begin(withMeta: try ServerReading(writer.connection, cache: nil).allRows(of: .meta))
    }
}

extension ServerReading {
    /// Every row of a small family.
    func allRows(of family: ColumnFamily) throws(StoreError) -> [RowKey: [UInt8]] {
        var rows: [RowKey: [UInt8]] = [:]
        try scan(family, prefix: []) { (row) throws(StoreError) in
            rows[RowKey(Array(row.key))] = Array(row.value)
            return true
        }
        return rows
    }
}
