import CRocksDB

/// Options for the database and each kind of column family; freed when the database goes.
final class DatabaseOptions {
    /// Shared by all column families; what does not fit is read through the page cache.
    private static let blockCacheBytes = 40 << 20
    /// Memory for unflushed writes of one column family.
    private static let writeBufferBytes = 16 << 20
    /// The same of each family of what waits to be sent: its rows are soon deleted, and a small memory is searched
    /// faster.
    private static let queueBufferBytes = 4 << 20
    /// Memory for unflushed writes of all column families together: beyond it the largest is written out.
    private static let allWriteBuffersBytes = 64 << 20
    /// The log is cut when it exceeds this, so that a rarely written family cannot hold it forever.
    private static let writeAheadLogBytes: UInt64 = 128 << 20
    /// RocksDB's `FATAL_LEVEL`: beside the options at each opening, nothing that it writes today.
    private static let fatalLogLevel: Int32 = 4
    /// Table files that are open at a time.
    private static let openFiles: Int32 = 512
    /// Ten bits a key: one false positive in a hundred look-ups.
    private static let bloomBitsPerKey = 10.0
    /// The unflushed writes have a filter, too: this share of a family's buffer.
    private static let memtableBloomShare = 0.01
    /// Lists of the watch index's unflushed writes, by prefix: eight bytes each.
    private static let watchIndexLists = 32_768

    let common: OpaquePointer
    private let pointLookups: OpaquePointer
    private let watchIndex: OpaquePointer
    private let byDevice: OpaquePointer
    private let schedule: OpaquePointer
    private let cache: OpaquePointer

    /// With `keepsAllOpen` every table file stays open from the start: for whoever reads beside a service, which deletes
    /// the files that it has compacted.
    init(keepsAllOpen: Bool = false) {
        cache = rocksdb_cache_create_lru(DatabaseOptions.blockCacheBytes)
        let openFiles = keepsAllOpen ? -1 : DatabaseOptions.openFiles
        common = DatabaseOptions.make(cache: cache, bloom: false, openFiles: openFiles)
        pointLookups = DatabaseOptions.make(cache: cache, bloom: true, openFiles: openFiles)
        watchIndex = DatabaseOptions.make(cache: cache, bloom: true, openFiles: openFiles)
        byDevice = DatabaseOptions.make(cache: cache, bloom: true, openFiles: openFiles)
        schedule = rocksdb_options_create_copy(common)
        // Of all that waits: `deliveries` are read by device.
        for queue in [schedule, byDevice] {
            rocksdb_options_set_write_buffer_size(queue, DatabaseOptions.queueBufferBytes)
        }
        // The options own the slice transform; a look-up for an address nobody watches stops at the filter.
        rocksdb_options_set_prefix_extractor(
            watchIndex, rocksdb_slicetransform_create_fixed_prefix(WatchKey.prefixBytes))
        // So does the look for the next delivery of a device that has none.
        rocksdb_options_set_prefix_extractor(
            byDevice, rocksdb_slicetransform_create_fixed_prefix(DeviceID.byteCount))
        // A registration writes a row for each of its addresses. In one ordered list each is compared with some twenty
        // others; here each address has a list of its own (one of 256 and more is ordered again). A scan beyond an address
        // sorts all unflushed rows first: the service makes none.
        rocksdb_options_set_hash_link_list_rep(watchIndex, DatabaseOptions.watchIndexLists)
        rocksdb_options_set_memtable_prefix_bloom_size_ratio(watchIndex, 0)
    }

    deinit {
        rocksdb_options_destroy(schedule)
        rocksdb_options_destroy(byDevice)
        rocksdb_options_destroy(watchIndex)
        rocksdb_options_destroy(pointLookups)
        rocksdb_options_destroy(common)
        rocksdb_cache_destroy(cache)
    }

    func handle(for family: ColumnFamily) -> OpaquePointer {
        switch family.access {
        case .scans: family == .schedule ? schedule : common
        case .pointLookups: pointLookups
        case .watchIndex: watchIndex
        case .byDevice: byDevice
        }
    }

    private static func make(cache: OpaquePointer, bloom: Bool, openFiles: Int32) -> OpaquePointer {
        let options: OpaquePointer = rocksdb_options_create()
        rocksdb_options_set_create_if_missing(options, 1)
        rocksdb_options_set_create_missing_column_families(options, 1)
        // The lists by address want it so; there is one writer.
        rocksdb_options_set_allow_concurrent_memtable_write(options, 0)
        rocksdb_options_set_write_buffer_size(options, writeBufferBytes)
        rocksdb_options_set_db_write_buffer_size(options, allWriteBuffersBytes)
        rocksdb_options_set_max_total_wal_size(options, writeAheadLogBytes)
        rocksdb_options_set_compression(options, Int32(rocksdb_lz4_compression))
        // The log ends where it is first damaged. A power cut may lose any part of what no fsync has covered, not only
        // the end of it, and must not keep the service from starting: what was synced stands before all of that.
        rocksdb_options_set_wal_recovery_mode(options, Int32(rocksdb_point_in_time_recovery))
        // RocksDB 7.8 with its assertions on ends the process at the second line that finds no space for its own log,
        // which has statistics every ten minutes and a line for each error.
        rocksdb_options_set_info_log_level(options, fatalLogLevel)
        rocksdb_options_set_keep_log_file_num(options, 4)
        rocksdb_options_set_max_open_files(options, openFiles)
        let table = rocksdb_block_based_options_create()
        rocksdb_block_based_options_set_block_cache(table, cache)
        rocksdb_block_based_options_set_cache_index_and_filter_blocks(table, 1)
        rocksdb_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(table, 1)
        // Whole filter blocks of a large family do not fit into one shard of the cache and would be read again at every
        // look-up; in partitions they stay, and what is pinned is small.
        rocksdb_block_based_options_set_index_type(
            table, Int32(rocksdb_block_based_table_index_type_two_level_index_search))
        rocksdb_block_based_options_set_partition_filters(table, 1)
        rocksdb_block_based_options_set_pin_top_level_index_and_filter(table, 1)
        if bloom {
            // The table options own the filter policy.
            rocksdb_block_based_options_set_filter_policy(
                table, rocksdb_filterpolicy_create_bloom_full(bloomBitsPerKey))
            rocksdb_options_set_memtable_prefix_bloom_size_ratio(options, memtableBloomShare)
            rocksdb_options_set_memtable_whole_key_filtering(options, 1)
        }
        rocksdb_options_set_block_based_table_factory(options, table)
        rocksdb_block_based_options_destroy(table)
        return options
    }
}
