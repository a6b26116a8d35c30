import CRocksDB

/// The committed state of one moment, whatever is written afterwards: for reads that must agree with each other.
final class Snapshot: StoreReading {
    private let database: Database
    private let handle: OpaquePointer
    private let readOptions: OpaquePointer

    init(_ database: Database) {
        self.database = database
        handle = rocksdb_create_snapshot(database.handle)
        readOptions = rocksdb_readoptions_create()
        rocksdb_readoptions_set_snapshot(readOptions, handle)
    }

    deinit {
        rocksdb_readoptions_destroy(readOptions)
        rocksdb_release_snapshot(database.handle, handle)
    }

    func get(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> [UInt8]? {
        try database.get(family, key, options: readOptions)
    }

    func scan(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8],
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try database.scan(family, from: lower, below: upper, snapshot: handle, body)
    }

    /// What `read` makes of the last rows with `lower <= key < upper`, against key order, at most `limit` of them.
    func listBackwards<Element>(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], limit: Int,
        _ read: (Row) throws(StoreError) -> Element
    ) throws(StoreError) -> [Element] {
        var elements: [Element] = []
        guard limit > 0 else { return elements }
        try database.scanBackwards(family, from: lower, below: upper, snapshot: handle) { (row) throws(StoreError) in
            elements.append(try read(row))
            return elements.count < limit
        }
        return elements
    }
}
