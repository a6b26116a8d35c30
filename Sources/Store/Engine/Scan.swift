import CRocksDB

/// Options of one scan: the bound buffer must outlive the iterator, so it lives here beside it.
final class ScanBounds {
    let options: OpaquePointer
    private let upper: UnsafeMutableBufferPointer<CChar>

    init(below upper: [UInt8], withinPrefix: Bool, snapshot: OpaquePointer? = nil) {
        options = rocksdb_readoptions_create()
        self.upper = .allocate(capacity: max(upper.count, 1))
        for (index, byte) in upper.enumerated() { self.upper[index] = CChar(bitPattern: byte) }
        rocksdb_readoptions_set_iterate_upper_bound(options, self.upper.baseAddress, upper.count)
        if let snapshot { rocksdb_readoptions_set_snapshot(options, snapshot) }
        if withinPrefix {
            rocksdb_readoptions_set_prefix_same_as_start(options, 1)
        } else {
            rocksdb_readoptions_set_total_order_seek(options, 1)
        }
    }

    deinit {
        rocksdb_readoptions_destroy(options)
        upper.deallocate()
    }
}

/// Walks an iterator from `lower`; `upper` is looked at here, as an iterator within a prefix may know no bound but that.
func walk(
    _ iterator: OpaquePointer, from lower: [UInt8], below upper: [UInt8],
    _ body: (Row) throws(StoreError) -> Bool
) throws(StoreError) {
    lower.withCharacters { rocksdb_iter_seek(iterator, $0, $1) }
    while let row = currentRow(iterator) {
        guard KeyBytes.precedes(row.key, upper) else { return }
        guard try body(row) else { return }
        rocksdb_iter_next(iterator)
    }
    try checked("scan the store") { rocksdb_iter_get_error(iterator, $0) }
}

/// Asks many times whether a key begins with some bytes, through one iterator.
///
/// It sees the watch index as it was when the probe was made. The bytes must be as long as the index's prefixes.
final class WatchIndexProbe {
    private let database: Database
    private var loan: ReusedIterator.Loan?

    init(_ database: Database) throws(StoreError) {
        try database.prepare(.read)
        loan = database.takeWatchIndexIterator()
        self.database = database
    }

    deinit {
        // Given back before `database` is released: an iterator must not outlive its database, and an object's members
        // are released in no order of ours.
        if let loan = loan.take() { database.watchIndexIterator.giveBack(loan) }
    }

    func has(_ prefix: [UInt8]) throws(StoreError) -> Bool {
        guard let iterator = loan?.iterator.handle else { return false }
        prefix.withCharacters { rocksdb_iter_seek(iterator, $0, $1) }
        guard let row = currentRow(iterator) else {
            try checked("scan the store") { rocksdb_iter_get_error(iterator, $0) }
            return false
        }
        return row.key.starts(with: prefix)
    }
}

extension Database {
    /// Lends the rows with `lower <= key < upper` against key order until `body` returns false.
    func scanBackwards(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], snapshot: OpaquePointer?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try prepare(.read)
        let owner = RowIterator(
            self, family, within: ScanBounds(below: upper, withinPrefix: false, snapshot: snapshot))
        defer { withExtendedLifetime(owner) {} }
        let iterator = owner.handle
        // Goes to the last key below the iterator's bound.
        upper.withCharacters { rocksdb_iter_seek_for_prev(iterator, $0, $1) }
        while let row = currentRow(iterator), !KeyBytes.precedes(row.key, lower) {
            guard try body(row) else { return }
            rocksdb_iter_prev(iterator)
        }
        try checked("scan the store") { rocksdb_iter_get_error(iterator, $0) }
    }
}

/// The row that an iterator stands on; nil beyond the ends.
private func currentRow(_ iterator: OpaquePointer) -> Row? {
    guard rocksdb_iter_valid(iterator) != 0 else { return nil }
    var keyLength = 0
    var valueLength = 0
    let keyStart = rocksdb_iter_key(iterator, &keyLength)
    let valueStart = rocksdb_iter_value(iterator, &valueLength)
    return Row(
        key: UnsafeRawBufferPointer(start: keyStart, count: keyLength),
        value: UnsafeRawBufferPointer(start: valueStart, count: valueLength))
}

extension Database: CommittedRows {
    package func scan(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try scan(family, from: lower, below: upper, snapshot: nil, body)
    }

    package func scanBackwards(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try scanBackwards(family, from: lower, below: upper, snapshot: nil, body)
    }

    package func isWatched(_ keys: [WatchKey]) throws(StoreError) -> [Bool] {
        let probe = try WatchIndexProbe(self)
        var found: [Bool] = []
        for key in keys { found.append(try probe.has(key.bytes)) }
        return found
    }

    package func snapshot() -> any StoreReading { Snapshot(self) }

    package func session() -> any StoreReading { self }

    func scan(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], snapshot: OpaquePointer?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try prepare(.read)
        let isWithinPrefix = family.staysWithinPrefix(lower, upper)
        guard isWithinPrefix, snapshot == nil else {
            let bounds = ScanBounds(below: upper, withinPrefix: isWithinPrefix, snapshot: snapshot)
            let iterator = RowIterator(self, family, within: bounds)
            defer { withExtendedLifetime(iterator) {} }
            return try walk(iterator.handle, from: lower, below: upper, body)
        }
        // The prefix is bound enough for the iterator, and saves options of its own; `walk` knows the exact one.
        guard family == .watchers else {
            let iterator = RowIterator(withinPrefixesOf: family, self)
            defer { withExtendedLifetime(iterator) {} }
            return try walk(iterator.handle, from: lower, below: upper, body)
        }
        let loan = takeWatchIndexIterator()
        defer { watchIndexIterator.giveBack(loan) }
        try walk(loan.iterator.handle, from: lower, below: upper, body)
    }

    /// Lends the rows from `lower` on until `body` returns false, and leaves the block cache as it is: for walks over
    /// everything, which must not drive out of memory what the service asks for.
    package func scanUncached(
        _ family: ColumnFamily, from lower: [UInt8], _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try prepare(.read)
        let options: OpaquePointer = rocksdb_readoptions_create()
        rocksdb_readoptions_set_fill_cache(options, 0)
        rocksdb_readoptions_set_total_order_seek(options, 1)
        let iterator: OpaquePointer = rocksdb_create_iterator_cf(handle, options, familyHandle(family))
        defer {
            rocksdb_iter_destroy(iterator)
            rocksdb_readoptions_destroy(options)
        }
        try walk(iterator, from: lower, below: KeyBytes.successor(ofPrefix: []), body)
    }

    /// An iterator over the watch index as it is now, within the prefix that it is sent to.
    func takeWatchIndexIterator() -> ReusedIterator.Loan {
        watchIndexIterator.take { RowIterator(withinPrefixesOf: .watchers, self) }
    }
}
