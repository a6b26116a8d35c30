import CRocksDBYardstick

/// The watch index through RocksDB's own C API and nothing else: one iterator, used again and again.
///
/// It opens a copy of the store's files: the same rows in the same blocks, with filters that stay in memory.
final class RawWatchIndex {
    static let prefixBytes = 35
    private static let cacheBytes = 64 << 20

    private let handle: OpaquePointer
    private let families: [OpaquePointer]
    private let readOptions: OpaquePointer
    private let iterator: OpaquePointer
    private let options: RawOptions

    /// Opens the store in the directory `path` for reading only.
    init(path: String) throws {
        options = RawOptions(prefixBytes: Self.prefixBytes, cacheBytes: Self.cacheBytes)
        var handles: [OpaquePointer?] = [nil, nil]
        let settings: [OpaquePointer?] = [options.handle, options.handle]
        let options = options
        let opened = try RawRocksDB.checked { error in
            "default".withCString { first in
                "watchers".withCString { second in
                    [first, second].withUnsafeBufferPointer { names in
                        rocksdb_open_for_read_only_column_families(
                            options.handle, path, 2, names.baseAddress, settings, &handles, 0, error)
                    }
                }
            }
        }
        families = handles.compactMap { $0 }
        guard let opened, families.count == 2 else { throw BenchmarkError("The watch index has no handle.") }
        handle = opened
        readOptions = rocksdb_readoptions_create()
        rocksdb_readoptions_set_prefix_same_as_start(readOptions, 1)
        iterator = rocksdb_create_iterator_cf(opened, readOptions, families[1])
    }

    deinit {
        rocksdb_iter_destroy(iterator)
        rocksdb_readoptions_destroy(readOptions)
        for family in families { rocksdb_column_family_handle_destroy(family) }
        rocksdb_close(handle)
    }

    /// Seeks the prefix and counts what stands there; each key is looked at to its last byte.
    func watcherCount(_ prefix: [UInt8], sink: inout UInt8) -> Int {
        prefix.withUnsafeBytes {
            rocksdb_iter_seek(iterator, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
        }
        var count = 0
        while rocksdb_iter_valid(iterator) != 0 {
            var length = 0
            if let key = rocksdb_iter_key(iterator, &length), length > 0 { sink &+= UInt8(bitPattern: key[length - 1]) }
            count += 1
            rocksdb_iter_next(iterator)
        }
        return count
    }
}
