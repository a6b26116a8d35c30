import Foundation
import Postgres
import Store
import Synchronization

/// The only writer: changes happen here, one after another, those that wait together in one transaction.
///
/// Each transaction has a number, which it leaves in the table `writer`. When the answer to a commit is lost, the number
/// found there on the next connection says what became of it: nothing is guessed. Changes of upkeep, such as
/// settlements, are committed without waiting for the disk; they are kept until a later commit has reached it, and are
/// made again if a server that crashed has lost them.
actor ServerWriter {
    /// Changes that share a transaction, at most.
    private static let mostTogether = 256
    /// Transactions that may be lost by a crash of the server, at most, before one waits for the disk.
    private static let mostUnsafe = 64

    private nonisolated let executor = BlockingExecutor(label: "kasia.store.writer")
    nonisolated let queue = WriteQueue()
    private nonisolated let state: ServerState
    nonisolated let lease: Lease
    private let cache: RowCache
    private var memory = WriterMemory()
    private let followers: CommitFollowers
    private let limits: StoreLimits
    private let shards: ShardPlan
    /// The schemas of the shards that this one tells of what concerns them.
    private let otherShards: [Int: ShardSchema]
    private let times: ServerTimes
    private var writer: WriterConnection
    /// The number of the last transaction.
    private var batch: UInt64
    /// What may be lost by a crash of the server, in order.
    private var unsafeBatches: [(number: UInt64, jobs: [WriteJob])] = []
    /// What was lost by one and is to be made again, in order.
    private var lostBatches: [[WriteJob]] = []
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
        _ writer: Handover<WriterConnection>, batch: UInt64, cache: RowCache, state: ServerState, lease: Lease,
        times: ServerTimes, limits: StoreLimits, shards: ShardPlan, otherShards: [Int: ShardSchema],
        followers: CommitFollowers
    ) {
        self.writer = writer.value
        self.shards = shards
        self.otherShards = otherShards
        self.batch = batch
        self.cache = cache
        self.state = state
        self.limits = limits
        self.lease = lease
        self.times = times
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
        // Whether they are, though the answer was lost.
        var isCommitted = false
        while !jobs.isEmpty {
            do throws(StoreError) {
                if let failure = state.failure { throw failure }
                if writer.isLost { try restore(&isCommitted) }
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
            let error = state.failure ?? error
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
        let (impatient, patient) = jobs.parted(waitsLong)
        for job in impatient + queue.takeImpatient(waitsLong) { job.finish(error) }
        Thread.sleep(forTimeInterval: times.pause / .seconds(1))
        // Whoever looks for trouble before a change brings none while there is some: somebody has to see it end.
        return patient.isEmpty && !state.isClosed ? [WriteJob { [state] in state.isClosed }] : patient
    }

    /// Runs changes in one transaction and commits it.
    private func attempt(_ jobs: [WriteJob], isDurable: Bool, isAgain: Bool = false) throws(StoreError) {
        let reading = ServerReading(writer.connection, cache: cache, places: writer.places)
        var transaction = WriteTransaction(reading, memory: memory, shards: shards)
        var done: [WriteJob] = []
        for job in jobs {
            // On top of those before, so that what one leaves that throws can be dropped.
            let own = jobs.count > 1 ? WriteTransaction(on: transaction) : transaction
            if ServerState.$attempt.withValue(isAgain ? .again : .first, operation: { job.run(own) }) {
                if own !== transaction { transaction.absorb(own) }
                done.append(job)
            } else if writer.isLost {
                throw StoreError(.unavailable, "PostgreSQL: the connection was lost")
            } else if own === transaction {
                transaction = WriteTransaction(reading, memory: memory, shards: shards)
            }
        }
        guard !transaction.isEmpty || isDurable && !unsafeBatches.isEmpty else { return memory.take(over: transaction) }
        let told = try tellOthers(transaction)
        // What another shard may have read must not be lost and made again as something else, nor what it has taken over.
        let isShared = !transaction.orders.isEmpty || transaction.lastTakenOrder > 0
        let waits = isDurable || isShared || unsafeBatches.count >= ServerWriter.mostUnsafe
        let doubt = Doubt(number: batch + 1, transaction: transaction, jobs: done, isAgain: isAgain)
        self.doubt = doubt
        let begun = ContinuousClock.now
        try writer.commit(transaction, telling: told, after: reading, number: doubt.number, isDurable: waits)
        if waits { lease.renewed(begun) }
        take(over: doubt)
        if waits { unsafeBatches = [] }
        noteSafety()
    }

    /// The statements of the shards' own tables that belong to a transaction.
    private func tellOthers(_ transaction: WriteTransaction) throws(StoreError) -> [(Statement, [Parameter])] {
        guard shards.count > 1 else { return [] }
        var calls: [(Statement, [Parameter])] = []
        for (shard, orders) in try transaction.numberOrders() {
            guard let schema = otherShards[shard] else { throw StoreError(.engine, "an order to no shard") }
            calls.append(schema.write(orders))
            calls.append((ShardSchema.notify, [.text(schema.channel)]))
        }
        if !transaction.reports.isEmpty { calls.append(ShardSchema.write(transaction.reports)) }
        if transaction.lastTakenOrder > 0 {
            calls.append((ShardSchema.deleteOrders, [.int64(Int64(clamping: transaction.lastTakenOrder))]))
        }
        return calls
    }

    /// Takes over what is committed now, and may still be lost by a crash of the server.
    private func take(over doubt: Doubt) {
        self.doubt = nil
        batch = doubt.number
        state.noteWrite()
        cache.take(over: doubt.transaction)
        memory.take(over: doubt.transaction)
        followers.note(
            doubt.transaction.newlyWatched, hasChanges: !doubt.transaction.writes(to: .changes).isEmpty)
        if !doubt.isAgain { unsafeBatches.append((batch, doubt.jobs)) }
        noteSafety()
    }

    /// Forgets days of the log, all of whose rows are older than `time`.
    ///
    /// What is not done, as the server is away or somebody reads them, is done by a later call.
    func forgetLogDays(before time: UInt64) throws(StoreError) {
        if let failure = state.failure { throw failure }
        guard !writer.isLost else { return }
        do throws(StoreError) {
            if try writer.forgetLogDays(before: time, number: batch) { cache.forgetLogRows() }
        } catch {
            // Perhaps some are gone.
            cache.forgetLogRows()
            guard state.passes(error) else { throw error }
        }
    }

    /// Sends a heartbeat unless something durable was just written, and connects again if the connection is lost.
    private func sendHeartbeat() {
        guard state.failure == nil, !state.isClosed, !lease.isYounger(than: times.renewal) else { return }
        do throws(StoreError) {
            if !writer.isLost {
                let begun = ContinuousClock.now
                try writer.sendHeartbeat()
                return lease.renewed(begun)
            }
        } catch {
            guard state.passes(error) else { return }
        }
        commit([WriteJob { [state] in state.isClosed }])
    }

    /// Sends heartbeats from time to time, until the store is closed.
    nonisolated func keepLease() {
        executor.run(after: times.renewal) { [weak self] in
            guard let self, !state.isClosed else { return }
            assumeIsolated { $0.sendHeartbeat() }
            keepLease()
        }
    }

    /// Says that this process is at work no more, so that another need not wait; after the store is closed.
    func release() {
        forgetUnsafe()
        if state.failure == nil, !writer.isLost { try? writer.sendHeartbeat(releases: true) }
    }

    /// Forgets what a crash of the server would lose, when nobody is left to make it again: what it holds may hold this.
    private func forgetUnsafe() {
        unsafeBatches = []
        lostBatches = []
        noteSafety()
    }

    private func noteSafety() { state.set(hasUnsafe: !unsafeBatches.isEmpty || !lostBatches.isEmpty) }

    /// Connects again, and makes true what was said before the connection was lost; `isCommitted` becomes true if the
    /// changes whose answer was lost are committed.
    ///
    /// Errors: `.unavailable`, whatever it was that the server said, as it was not about the changes that wait; and
    /// `.locked`. After either, there is no connection, and what is left to do is done by the next call.
    private func restore(_ isCommitted: inout Bool) throws(StoreError) {
        do throws(StoreError) {
            try learn(from: try writer.reconnect(), &isCommitted)
            while let jobs = lostBatches.first {
                try attempt(jobs, isDurable: true, isAgain: true)
                lostBatches.removeFirst()
            }
            // Now all of it is safe: what follows, and what was committed before the answer was lost.
            try attempt([], isDurable: true, isAgain: true)
            noteSafety()
        } catch {
            writer.close()
            throw error.code == .locked ? error : StoreError(.unavailable, error.message)
        }
    }

    /// Finds out what became of the doubt, and what a crash of the server has lost; `last` is the number of the last
    /// transaction there.
    private func learn(from last: UInt64, _ isCommitted: inout Bool) throws(StoreError) {
        if let doubt, doubt.number == last {
            take(over: doubt)
            if doubt.isAgain {
                if !doubt.jobs.isEmpty { lostBatches.removeFirst() }
            } else {
                isCommitted = true
            }
        } else if last != batch {
            // Memory knows what is lost.
            try reload()
            let lost = unsafeBatches.filter { $0.number > last }
            unsafeBatches.removeAll { $0.number > last }
            lostBatches.insert(contentsOf: lost.map(\.jobs), at: 0)
            batch = last
        }
        doubt = nil
        noteSafety()
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
