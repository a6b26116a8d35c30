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

    package func get(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> [UInt8]? {
        try database.get(family, key, options: readOptions)
    }

    package func scan(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try database.scan(family, from: lower, below: upper, snapshot: handle, body)
    }

    package func isWatched(_ keys: [WatchKey]) throws(StoreError) -> [Bool] {
        var found: [Bool] = []
        for key in keys { found.append(try !watchers(key, after: nil, limit: 1).isEmpty) }
        return found
    }

    package func scanBackwards(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try database.scanBackwards(family, from: lower, below: upper, snapshot: handle, body)
    }
}
