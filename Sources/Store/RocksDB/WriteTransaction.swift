import CRocksDB
import Kaspa

/// One atomic write: what it puts and deletes is seen by its own reads at once, and by everybody after the commit.
///
/// It lives on the store's writer thread for the length of one closure and is not `Sendable`.
final class WriteTransaction: StoreReading {
    private let database: Database
    private let batch: OpaquePointer
    private let readOptions: OpaquePointer
    /// What the writes change about the addresses watched for funds; the writer hands it on after the commit.
    var watchOnlyChanges: [WatchOnlyChange] = []
    /// Items of activity that the writes change, in the order in which they did so first; see `touch`.
    var touches: [ActivityTouch] = []
    var touchIndex: [TransactionID: Int] = [:]
    /// Where the virtual chain stands after this, if it moves.
    var newBlueScore: UInt64?

    init(_ database: Database) {
        self.database = database
        // Overwrite mode: the last write of a key wins, as reads through the batch expect.
        batch = rocksdb_writebatch_wi_create(0, 1)
        readOptions = rocksdb_readoptions_create()
    }

    deinit {
        rocksdb_readoptions_destroy(readOptions)
        rocksdb_writebatch_wi_destroy(batch)
    }

    var isEmpty: Bool { rocksdb_writebatch_wi_count(batch) == 0 }

    func put(_ family: ColumnFamily, _ key: [UInt8], _ value: [UInt8]) {
        key.withCharacters { keyStart, keyLength in
            value.withCharacters { valueStart, valueLength in
                rocksdb_writebatch_wi_put_cf(
                    batch, database.familyHandle(family), keyStart, keyLength, valueStart, valueLength)
            }
        }
    }

    func delete(_ family: ColumnFamily, _ key: [UInt8]) {
        key.withCharacters { rocksdb_writebatch_wi_delete_cf(batch, database.familyHandle(family), $0, $1) }
    }

    func get(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> [UInt8]? {
        var length = 0
        let value = try checked("read from \(family.rawValue)") { error in
            key.withCharacters {
                rocksdb_writebatch_wi_get_from_batch_and_db_cf(
                    batch, database.handle, readOptions, database.familyHandle(family), $0, $1, &length, error)
            }
        }
        guard let value else { return nil }
        defer { rocksdb_free(value) }
        return [UInt8](UnsafeRawBufferPointer(start: value, count: length))
    }

    func scan(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8],
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let bounds = ScanBounds(below: upper, withinPrefix: family.staysWithinPrefix(lower, upper))
        let handle = database.familyHandle(family)
        // The combined iterator owns the base iterator.
        let iterator: OpaquePointer = rocksdb_writebatch_wi_create_iterator_with_base_cf(
            batch, rocksdb_create_iterator_cf(database.handle, bounds.options, handle), handle)
        defer {
            rocksdb_iter_destroy(iterator)
            withExtendedLifetime(bounds) {}
        }
        try walk(iterator, from: lower, below: upper, body)
    }

    func commit(synced: Bool) throws(StoreError) {
        guard !isEmpty else { return }
        try database.write(batch, synced: synced)
    }
}
