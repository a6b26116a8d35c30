import Kaspa

/// What a repair changed: rows by family, and totals that were wrong.
public struct StoreRepair: Equatable, Sendable {
    /// Rows that were missing, or were set right, by family.
    public internal(set) var added: [ColumnFamily: UInt64] = [:]
    /// Rows that belonged to nothing, by family.
    public internal(set) var removed: [ColumnFamily: UInt64] = [:]
    /// A sentence for each total that was set right.
    public internal(set) var totals: [String] = []

    /// Whether everything was right before.
    public var changedNothing: Bool { added.isEmpty && removed.isEmpty && totals.isEmpty }

    mutating func add(_ other: StoreRepair) {
        added.merge(other.added) { $0 &+ $1 }
        removed.merge(other.removed) { $0 &+ $1 }
        totals += other.totals
    }
}

extension Store {
    /// Refuses what looks at one shard only and means the whole; `verb` is what is to be done to the store.
    func requireWhole(to verb: String) throws(StoreError) {
        guard shards.count > 1 else { return }
        throw StoreError(
            .unsupported,
            "to \(verb) a store that is shared out, stop all processes, start one with store.shards = 1, and stop it again"
        )
    }

    /// Rows that one batch of a repair looks at: its memory and the length of its write.
    static let repairBatch = 1_000

    /// Rebuilds indexes and counters from the primary rows; durable on return.
    ///
    /// Registrations, deliveries, the log, markers, transfers and questions about senders are taken as right; rows of a
    /// device that is not registered are deleted. Nobody else may write meanwhile. `progress` hears of each family
    /// before its rows are read, and of the rows read so far. Errors: `StoreError`, among them `.corrupt` for a
    /// registration that cannot be read: a repair invents none.
    public func repairIndexes(
        now: UInt64, _ progress: @Sendable (ColumnFamily, UInt64) -> Void = { _, _ in }
    ) async throws(StoreError) -> StoreRepair {
        try requireWhole(to: "repair")
        var repair = StoreRepair()
        // Registrations first: the other walks look for what they restore.
        for family in IndexRepair.order {
            repair.add(try await repairRows(of: family, IndexRepair(network: network, now: now), progress))
        }
        repair.add(try await repairTotals())
        try await sync()
        return repair
    }

    private func repairRows(
        of family: ColumnFamily, _ rules: IndexRepair, _ progress: @Sendable (ColumnFamily, UInt64) -> Void
    ) async throws(StoreError) -> StoreRepair {
        var repair = StoreRepair()
        var next: [UInt8]? = []
        var seen: UInt64 = 0
        while let start = next {
            progress(family, seen)
            let (step, count, last) = try await write { (transaction) throws(StoreError) in
                let rows = try transaction.list(
                    family, from: start, below: KeyBytes.successor(ofPrefix: []), limit: Store.repairBatch
                ) { (row) throws(StoreError) in (key: Array(row.key), value: Array(row.value)) }
                var writer = RepairWriter(transaction)
                for row in rows { try rules.look(at: row.key, row.value, in: family, &writer) }
                return (writer.repair, rows.count, rows.last?.key)
            }
            repair.add(step)
            seen &+= UInt64(count)
            next = count < Store.repairBatch ? nil : last.map { $0 + [0] }
        }
        return repair
    }

    private func repairTotals() async throws(StoreError) -> StoreRepair {
        let counted = try countRows()
        return try await write { (transaction) throws(StoreError) in
            var writer = RepairWriter(transaction)
            for (counter, count) in counted { try writer.set(counter, to: count) }
            // The totals of what was created follow from the others, so that the books balance.
            let books = try transaction.books()
            try writer.set(
                .eventsCreated,
                to: books.eventsQueued &+ books.eventsFannedOut &+ books.eventsWithdrawn &+ books.eventsUnresolved
                    &+ books.eventsSuppressed &+ books.eventsExpired)
            try writer.set(
                .deliveriesCreated,
                to: books.deliveriesQueued &+ books.deliveriesDelivered &+ books.deliveriesDead
                    &+ books.deliveriesExpired &+ books.deliveriesSuppressed)
            return writer.repair
        }
    }

    /// What each counter should show, by the rows that it counts.
    private func countRows() throws(StoreError) -> [(Counter, UInt64)] {
        let everyRow: (Row) -> Bool = { _ in true }
        // A row that cannot be read is told by `check`.
        return [
            (.devices, try count(.devices, where: everyRow)),
            (.watchEntries, try count(.watchers, where: everyRow)),
            (.deliveries, try count(.deliveries, where: everyRow)),
            (.events, try count(.events, where: everyRow)),
            (.deadLetters, try count(.deadLetters, where: everyRow)),
            (
                .eventsUnresolved,
                try count(.unresolved) {
                    (try? UnresolvedSender(Array($0.key), Array($0.value), network: network))?.notifies == true
                }
            ),
            (.eventsLong, try count(.events) { (try? PushEvent($0, network: network))?.isLong(limits) == true }),
        ]
    }

    private func count(_ family: ColumnFamily, where counts: (Row) -> Bool) throws(StoreError) -> UInt64 {
        var count: UInt64 = 0
        try database.scan(family, prefix: []) { row in
            if counts(row) { count += 1 }
            return true
        }
        return count
    }
}
