import CRocksDB

extension Database {
    /// Lends the rows from `lower` on until `body` returns false, past the block cache: for walks over everything, which
    /// must not drive out of memory what the service asks for.
    func sweep(
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
}
