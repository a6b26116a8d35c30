import CRocksDB
import Foundation

/// An open RocksDB directory with all column families of the schema.
///
/// RocksDB's handle may be used from any thread; everything mutable here is set in `init`. It closes once, in `deinit`:
/// iterators end within one call or are kept here, and snapshots hold a reference to the database.
// Sendable is unchecked because the stored C handles are opaque pointers; RocksDB documents them as thread-safe.
final class Database: @unchecked Sendable {
    /// How often a read-only opening is tried: a running service may delete a table after the list of tables was read,
    /// which looks like damage; the next list does not name that table.
    private static let readOnlyAttempts = 3
    /// Half of what a shell usually allows a process to have open.
    private static let mostTablesKeptOpen = 512

    let handle: OpaquePointer
    private let families: [OpaquePointer]
    /// Families that an older version wrote; empty if read-only.
    let dropped: [DroppedFamily: OpaquePointer]
    private let options: DatabaseOptions
    private let before: (@Sendable (StoreConditions.Step) throws(StoreError) -> Void)?
    /// Takes over every commit, and is asked first by every `get` that is not of a snapshot.
    let rowCache: RowCache
    /// Dropped by every write to the watch index.
    let watchIndexIterator = ReusedIterator()
    private let readOptions: OpaquePointer
    /// For scans that end with the prefix they begin in.
    let withinPrefixOptions: OpaquePointer
    private let writeOptions: OpaquePointer
    private let syncedWriteOptions: OpaquePointer
    /// Ends when the database is closed.
    let closing = AsyncStream.makeStream(of: Never.self)

    /// Opens, or creates, the directory at `path`; with `readOnly` it opens what was written before, and takes no lock.
    ///
    /// Errors: `.locked`, `.inputOutput`, `.newerSchema` when there are column families this version does not know.
    /// `before` is called before each step, and may throw in its place.
    init(
        path: String, readOnly: Bool = false, rowCacheBytes: Int = RowCache.capacity,
        before: (@Sendable (StoreConditions.Step) throws(StoreError) -> Void)? = nil
    ) throws(StoreError) {
        let hasFewTables = Database.tables(in: path) <= Database.mostTablesKeptOpen
        let options = DatabaseOptions(keepsAllOpen: readOnly && hasFewTables)
        let existing = Database.existingFamilies(at: path, options: options)
        try Database.checkFamilies(existing, at: path, readOnly: readOnly)
        // To write, RocksDB wants every family opened that there is.
        let old = readOnly ? [] : existing.compactMap(DroppedFamily.init)
        let names = ["default"] + ColumnFamily.allCases.map(\.rawValue) + old.map(\.rawValue)
        let perFamily: [OpaquePointer?] =
            [options.common] + ColumnFamily.allCases.map { options.handle(for: $0) } + old.map { _ in options.common }
        var handles = [OpaquePointer?](repeating: nil, count: names.count)
        let opened = try Database.retrying(readOnly ? Database.readOnlyAttempts : 1) { () throws(StoreError) in
            try Database.open(path, options.common, names, perFamily, &handles, readOnly: readOnly)
        }
        self.options = options
        self.before = before
        rowCache = RowCache(capacity: rowCacheBytes)
        handle = opened
        families = handles.compactMap { $0 }
        dropped = Dictionary(uniqueKeysWithValues: zip(old, families.suffix(old.count)))
        readOptions = rocksdb_readoptions_create()
        withinPrefixOptions = rocksdb_readoptions_create()
        rocksdb_readoptions_set_prefix_same_as_start(withinPrefixOptions, 1)
        writeOptions = rocksdb_writeoptions_create()
        syncedWriteOptions = rocksdb_writeoptions_create()
        rocksdb_writeoptions_set_sync(syncedWriteOptions, 1)
        rowCache.begin(withMeta: try allRows(of: .meta))
    }

    deinit {
        watchIndexIterator.release()
        rocksdb_writeoptions_destroy(syncedWriteOptions)
        rocksdb_writeoptions_destroy(writeOptions)
        rocksdb_readoptions_destroy(withinPrefixOptions)
        rocksdb_readoptions_destroy(readOptions)
        for family in families { rocksdb_column_family_handle_destroy(family) }
        rocksdb_close(handle)
        closing.continuation.finish()
    }

    func familyHandle(_ family: ColumnFamily) -> OpaquePointer {
        families[family.index + 1]
    }

    /// The value that was committed last, copied, or nil; of `meta` it is in memory, and nothing waits for the disk.
    func get(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> [UInt8]? {
        guard family != .meta else { return rowCache.meta(key) }
        if let row = rowCache.get(family, key) { return row }
        return try get(family, key, options: readOptions)
    }

    /// What memory tells about a row, whether it is there or not; nil if the disk has to be asked.
    ///
    /// RocksDB may tell an empty value of a row that it could not read, as when its table is not open: an empty one is
    /// never believed.
    func rowInMemory(_ family: ColumnFamily, _ key: [UInt8]) -> [UInt8]?? {
        if let row = rowCache.get(family, key) { return row }
        var value: UnsafeMutablePointer<CChar>?
        var (length, isFound) = (0, UInt8(0))
        let mayExist = key.withCharacters {
            rocksdb_key_may_exist_cf(
                handle, readOptions, familyHandle(family), $0, $1, &value, &length, nil, 0, &isFound)
        }
        defer { rocksdb_free(value) }
        if mayExist == 0 { return .some(nil) }
        guard isFound != 0, length > 0 else { return nil }
        return .some([UInt8](UnsafeRawBufferPointer(start: value, count: length)))
    }

    /// The value by read options of the caller's, which may hold a snapshot.
    func get(
        _ family: ColumnFamily, _ key: [UInt8], options: OpaquePointer
    ) throws(StoreError) -> [UInt8]? {
        try get(familyHandle(family), family.rawValue, key, options: options)
    }

    /// The value in a family that is named by its handle; `name` is for errors.
    func get(
        _ family: OpaquePointer, _ name: String, _ key: [UInt8], options: OpaquePointer? = nil
    ) throws(StoreError) -> [UInt8]? {
        try prepare(.read)
        let pinned = try checked("read from \(name)") { error in
            key.withCharacters {
                rocksdb_get_pinned_cf(handle, options ?? readOptions, family, $0, $1, error)
            }
        }
        guard let pinned else { return nil }
        defer { rocksdb_pinnableslice_destroy(pinned) }
        var length = 0
        guard let bytes = rocksdb_pinnableslice_value(pinned, &length) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: length))
    }

    func write(_ batch: OpaquePointer, synced: Bool) throws(StoreError) {
        try prepare(.commit)
        // For this thread, which may be another each time: else RocksDB counts every comparison, and nobody reads that.
        rocksdb_set_perf_level(Int32(rocksdb_disable))
        try checked("write to the store") {
            rocksdb_write(handle, synced ? syncedWriteOptions : writeOptions, batch, $0)
        }
    }

    /// Makes everything written so far durable (fsync of the write-ahead log).
    ///
    /// Blocks: call it on a thread of its own.
    func syncWriteAheadLog() throws(StoreError) {
        try prepare(.sync)
        try checked("sync the write-ahead log") { rocksdb_flush_wal(handle, 1, $0) }
    }

    /// Calls a test's script, which may throw.
    func prepare(_ step: StoreConditions.Step) throws(StoreError) {
        if let before { try before(step) }
    }

    /// The number of the last write; every write, of whatever program, has a greater one than those before it.
    var lastSequence: UInt64 { rocksdb_get_latest_sequence_number(handle) }

    /// How many flushes and compactions have failed since the database was opened.
    var backgroundErrors: UInt64 {
        property("rocksdb.background-errors", of: .meta) ?? 0
    }

    /// A consistent copy in `directory`, which must not exist; hard links where the file system allows.
    func checkpoint(to directory: String) throws(StoreError) {
        let object = try checked("prepare a checkpoint") { rocksdb_checkpoint_object_create(handle, $0) }
        defer { rocksdb_checkpoint_object_destroy(object) }
        try checked("write a checkpoint to \(directory)") {
            rocksdb_checkpoint_create(object, directory, 0, $0)
        }
    }

    /// Rewrites a column family without what is deleted or overwritten.
    ///
    /// Blocks for long: call it on a thread of its own.
    func compact(_ family: ColumnFamily) {
        rocksdb_compact_range_cf(handle, familyHandle(family), nil, 0, nil, 0)
    }

    /// Breaks off `compact`, wherever it runs, and lets none begin until `allowCompactions`.
    ///
    /// Waits for that, which takes a moment.
    func interruptCompactions() { rocksdb_disable_manual_compaction(handle) }

    /// Takes back one `interruptCompactions`.
    func allowCompactions() { rocksdb_enable_manual_compaction(handle) }

    /// An integer property of one column family, for example `rocksdb.estimate-num-keys`.
    func property(_ name: String, of family: ColumnFamily) -> UInt64? {
        var value: UInt64 = 0
        return rocksdb_property_int_cf(handle, familyHandle(family), name, &value) == 0 ? value : nil
    }

    private func allRows(of family: ColumnFamily) throws(StoreError) -> [RowKey: [UInt8]] {
        var rows: [RowKey: [UInt8]] = [:]
        try scan(family, prefix: []) { row in
            rows[RowKey(Array(row.key))] = Array(row.value)
            return true
        }
        return rows
    }

    /// Throws unless this version knows every family there is and, to read only, each of its own is there.
    private static func checkFamilies(_ existing: [String], at path: String, readOnly: Bool) throws(StoreError) {
        let isKnown = { ColumnFamily(rawValue: $0) != nil || DroppedFamily(rawValue: $0) != nil }
        if let unknown = existing.first(where: { $0 != "default" && !isKnown($0) }) {
            throw StoreError(
                .newerSchema,
                "the store at \(path) has a column family \"\(unknown)\" that this version does not know: "
                    + "run the version that wrote it")
        }
        if readOnly, !existing.isEmpty, ColumnFamily.allCases.contains(where: { !existing.contains($0.rawValue) }) {
            throw StoreError(
                .olderSchema,
                "the store at \(path) was last written by an older version: start this version's service once")
        }
    }

    private static func existingFamilies(at path: String, options: DatabaseOptions) -> [String] {
        var count = 0
        // An error here means that there is no database yet; a real fault shows when it is opened.
        let names = try? checked("list column families") {
            rocksdb_list_column_families(options.common, path, &count, $0)
        }
        guard let names else { return [] }
        defer { rocksdb_list_column_families_destroy(names, count) }
        return (0..<count).compactMap { names[$0].map { String(cString: $0) } }
    }

    private static func tables(in path: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.count { $0.hasSuffix(".sst") }
    }

    private static func retrying<Result>(
        _ attempts: Int, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        for _ in 1..<attempts {
            if let result = try? body() { return result }
        }
        return try body()
    }

    private static func open(
        _ path: String, _ options: OpaquePointer, _ names: [String], _ perFamily: [OpaquePointer?],
        _ handles: inout [OpaquePointer?], readOnly: Bool
    ) throws(StoreError) -> OpaquePointer {
        // One buffer holds the names, each ended by a zero; the pointers into it live as long as the call.
        var text: [CChar] = []
        var offsets: [Int] = []
        for name in names {
            offsets.append(text.count)
            text.append(contentsOf: name.utf8CString)
        }
        let opened = try checked("open the store at \(path)") { error in
            text.withUnsafeBufferPointer { buffer in
                let pointers = offsets.map { offset in buffer.baseAddress.map { $0 + offset } }
                return pointers.withUnsafeBufferPointer { namePointers in
                    readOnly
                        ? rocksdb_open_for_read_only_column_families(
                            options, path, Int32(names.count), namePointers.baseAddress, perFamily, &handles, 0, error)
                        : rocksdb_open_column_families(
                            options, path, Int32(names.count), namePointers.baseAddress, perFamily, &handles, error)
                }
            }
        }
        guard let opened else { throw StoreError(.engine, "open the store at \(path): no handle") }
        return opened
    }
}
