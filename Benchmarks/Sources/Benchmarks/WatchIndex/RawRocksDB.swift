import CRocksDBYardstick
import Kaspa
import Store

/// A fresh RocksDB directory, written through the C API.
final class RawRocksDB {
    private let handle: OpaquePointer
    private let writeOptions: OpaquePointer
    private let options: RawOptions

    init(path: String) throws {
        let options = RawOptions(prefixBytes: nil, cacheBytes: 8 << 20)
        rocksdb_options_set_create_if_missing(options.handle, 1)
        guard let opened = try RawRocksDB.checked({ rocksdb_open(options.handle, path, $0) }) else {
            throw BenchmarkError("RocksDB gave no handle.")
        }
        self.options = options
        handle = opened
        writeOptions = rocksdb_writeoptions_create()
    }

    deinit {
        rocksdb_writeoptions_destroy(writeOptions)
        rocksdb_close(handle)
    }

    /// Writes rows as one batch; nothing is read, nothing is synced.
    func write(_ rows: [(key: [UInt8], value: [UInt8])]) throws {
        let batch = rocksdb_writebatch_create()
        defer { rocksdb_writebatch_destroy(batch) }
        for row in rows {
            row.key.withUnsafeBytes { key in
                row.value.withUnsafeBytes { value in
                    rocksdb_writebatch_put(
                        batch, key.bindMemory(to: CChar.self).baseAddress, key.count,
                        value.bindMemory(to: CChar.self).baseAddress, value.count)
                }
            }
        }
        try RawRocksDB.checked { rocksdb_write(handle, writeOptions, batch, $0) }
    }

    /// Rows of a registration's number and sizes; the record's own layout is the store's business.
    static func rows(of device: DeviceID, watching addresses: [Address]) -> [(key: [UInt8], value: [UInt8])] {
        let id = device.bytes
        let recordBytes = 60 + addresses.count * 35
        return addresses.map { (WatchKey.address($0).bytes + id, []) }
            + [(id, [UInt8](repeating: 7, count: recordBytes)), (id + [0], [UInt8](repeating: 0, count: 13))]
    }

    /// Runs a call that reports failure through an error string, and frees that string.
    @discardableResult
    static func checked<Result>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) throws -> Result {
        var error: UnsafeMutablePointer<CChar>?
        let result = body(&error)
        guard let error else { return result }
        defer { rocksdb_free(error) }
        throw BenchmarkError(String(cString: error))
    }
}

/// Options under which RocksDB is at its best: filters and indexes stay in memory.
///
/// Without a prefix, for plain rows.
final class RawOptions {
    let handle: OpaquePointer
    private let cache: OpaquePointer

    init(prefixBytes: Int?, cacheBytes: Int) {
        cache = rocksdb_cache_create_lru(cacheBytes)
        handle = rocksdb_options_create()
        rocksdb_options_set_compression(handle, Int32(rocksdb_lz4_compression))
        rocksdb_options_set_write_buffer_size(handle, 16 << 20)
        let table = rocksdb_block_based_options_create()
        rocksdb_block_based_options_set_block_cache(table, cache)
        if let prefixBytes {
            // The table options own the filter policy, the options own the prefix.
            rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom_full(10))
            rocksdb_options_set_prefix_extractor(handle, rocksdb_slicetransform_create_fixed_prefix(prefixBytes))
        }
        rocksdb_options_set_block_based_table_factory(handle, table)
        rocksdb_block_based_options_destroy(table)
    }

    deinit {
        rocksdb_options_destroy(handle)
        rocksdb_cache_destroy(cache)
    }
}
