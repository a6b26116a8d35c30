import CRocksDB
import Synchronization

/// One of RocksDB's iterators. It must go before its database does, and one thread at a time may use it.
// Sendable is unchecked because it is handed from one look-up to the next, which may be on another thread.
final class RowIterator: @unchecked Sendable {
    let handle: OpaquePointer
    private let bounds: ScanBounds?
    /// How many look-ups it has been lent to.
    fileprivate var uses = 0

    init(_ database: Database, _ family: ColumnFamily, within bounds: ScanBounds) {
        self.bounds = bounds
        handle = rocksdb_create_iterator_cf(database.handle, bounds.options, database.familyHandle(family))
    }

    /// One that ends with the prefix that it is sent to.
    init(withinPrefixesOf family: ColumnFamily, _ database: Database) {
        bounds = nil
        handle = rocksdb_create_iterator_cf(
            database.handle, database.withinPrefixOptions, database.familyHandle(family))
    }

    deinit { rocksdb_iter_destroy(handle) }
}

/// The iterator of a family's last look-up, for the next one, as long as nothing has been written to the family.
///
/// Making an iterator costs about half as much as a look-up that finds nothing (RESULTS.md). An iterator sees the rows
/// as they were when it was made, so one that was made before a write, or beside one, is never lent after it. It also
/// holds on to memory and files that RocksDB has replaced since, which is why each is used `longestUse` times at most.
final class ReusedIterator: Sendable {
    static let longestUse = 1_000

    /// An iterator and the moment for which it was taken.
    struct Loan {
        let iterator: RowIterator
        /// How many writes had begun; nil while one was under way.
        fileprivate let moment: UInt64?
    }

    private struct State {
        var begun: UInt64 = 0
        var ended: UInt64 = 0
        var iterator: RowIterator?
    }

    private let state = Mutex(State())

    /// The iterator that was kept, or one that `make` makes: it sees all that was committed before the call.
    func take(_ make: () -> RowIterator) -> Loan {
        let (kept, moment) = state.withLock { state in
            let kept = state.iterator
            state.iterator = nil
            return (kept, state.begun == state.ended ? state.begun : nil)
        }
        return Loan(iterator: kept ?? make(), moment: moment)
    }

    /// Keeps the iterator for the next, unless a write has begun since it was taken.
    func giveBack(_ loan: Loan) {
        loan.iterator.uses += 1
        guard let moment = loan.moment, loan.iterator.uses < Self.longestUse else { return }
        state.withLock { state in
            if state.begun == moment, state.iterator == nil { state.iterator = loan.iterator }
        }
    }

    /// Runs a write to the family.
    func write<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        state.withLock { $0.begun += 1 }
        defer { state.withLock { $0.ended += 1 } }
        release()
        try body()
    }

    /// Lets go of what is kept.
    func release() {
        let old = state.withLock { state in
            defer { state.iterator = nil }
            return state.iterator
        }
        // Destroyed outside the lock.
        withExtendedLifetime(old) {}
    }
}
