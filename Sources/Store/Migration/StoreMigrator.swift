import Kaspa

/// What happens to a store of an older schema version when it is opened.
public enum OlderStore: Sendable {
    /// It is migrated in place, which may take minutes; the closure hears how far it is, on the thread that opens.
    case migrate(@Sendable (MigrationProgress) -> Void = { _ in })
    /// It is refused with `.olderSchema`, as it is when it is only read.
    case refuse
    /// It stays as it is, also if it is only read: for copies of it, and for what no version changes.
    case keep
}

/// How far the migration of an older store is.
public struct MigrationProgress: Equatable, Sendable {
    /// The schema version that it leads to.
    public var target: UInt32
    /// Rows looked at, those before an interruption among them.
    public var rows: UInt64
    /// How many rows there are, as RocksDB estimates it.
    public var expectedRows: UInt64
    /// Rows that cannot be read: they stay as they are.
    public var unreadable: UInt64
    /// Whether every row has been looked at: the last report, and the only one that says so.
    public var isFinished: Bool

    package init(target: UInt32, rows: UInt64, expectedRows: UInt64, unreadable: UInt64, isFinished: Bool) {
        self.target = target
        self.rows = rows
        self.expectedRows = expectedRows
        self.unreadable = unreadable
        self.isFinished = isFinished
    }

    /// 0 to 100, and 100 only at the end.
    public var percent: Int {
        guard !isFinished else { return 100 }
        return Int(min(99, Double(rows) * 100 / Double(max(1, expectedRows))))
    }
}

/// Brings an older store to the present schema version, in place and in bounded batches.
///
/// With the first write the store has the new version and a place in `meta`: an older program refuses it from then on,
/// since it would write rows behind the place. Each batch carries the place that it leads to and is on disk before the
/// next begins; the last one deletes the place. Whatever ends the process between two batches, the next opening goes
/// on there.
struct StoreMigrator {
    /// Bytes of rows read for one batch; what is written for a row is less than twice as much.
    static let bytesPerBatch = 1 << 20

    let database: Database
    let network: Network
    let admission: WriteAdmission
    /// Rows looked at in one batch.
    let rowsPerBatch: Int

    func run(from version: UInt32, _ report: (MigrationProgress) -> Void) throws(StoreError) {
        var place = try MigrationPlace.read(database) ?? MigrationPlace(walk: SchemaMigration.first(after: version))
        let begin = WriteTransaction(database)
        begin.put(.meta, MetaKey.schemaVersion, SchemaVersion.encoded)
        // Not every version changes rows.
        if place.walk < SchemaMigration.all.count {
            begin.put(.meta, MetaKey.migration, place.encoded)
        } else {
            begin.delete(.meta, MetaKey.migration)
        }
        try commit(begin)
        let expected = SchemaMigration.all.dropFirst(place.walk).reduce(UInt64(0)) { sum, walk in
            sum + (database.property("rocksdb.estimate-num-keys", of: walk.family) ?? 0)
        }
        func tell(isFinished: Bool) {
            report(
                MigrationProgress(
                    target: SchemaVersion.current, rows: place.rows, expectedRows: expected,
                    unreadable: place.unreadable, isFinished: isFinished))
        }
        while place.walk < SchemaMigration.all.count {
            tell(isFinished: false)
            let transaction = WriteTransaction(database)
            place = try advance(place, transaction)
            if place.walk < SchemaMigration.all.count {
                transaction.put(.meta, MetaKey.migration, place.encoded)
            } else {
                transaction.delete(.meta, MetaKey.migration)
            }
            try commit(transaction)
        }
        tell(isFinished: true)
    }

    /// One batch: rows after the place, and the place behind them.
    private func advance(
        _ place: MigrationPlace, _ transaction: WriteTransaction
    ) throws(StoreError) -> MigrationPlace {
        let walk = SchemaMigration.all[place.walk]
        var next = place
        var (rows, bytes) = (0, 0)
        var hasMore = false
        // Reads what is committed: the walk does not meet its own writes.
        try database.scan(
            walk.family, from: place.lastKey.map { $0 + [0] } ?? [], below: KeyBytes.successor(ofPrefix: [])
        ) { (row) throws(StoreError) in
            guard rows < rowsPerBatch, bytes < StoreMigrator.bytesPerBatch else {
                hasMore = true
                return false
            }
            let (key, value) = (Array(row.key), Array(row.value))
            do throws(StoreError) {
                try walk.change(key, value, transaction, network)
            } catch {
                guard error.code == .corrupt else { throw error }
                next.unreadable += 1
            }
            rows += 1
            bytes += key.count + value.count
            next.rows += 1
            next.lastKey = key
            return true
        }
        if !hasMore {
            next.walk += 1
            next.lastKey = nil
        }
        return next
    }

    private func commit(_ transaction: WriteTransaction) throws(StoreError) {
        try admission.check(.growth)
        try admission.perform { () throws(StoreError) in try database.commit(transaction, synced: true) }
    }
}

/// Where a migration goes on.
struct MigrationPlace: Equatable {
    /// The number of a walk in `SchemaMigration.all`.
    ///
    /// Version 6 left the number behind the last one in stores of version 5, which needed no walk.
    var walk: Int
    /// The last row of it that is done; nil at its beginning.
    var lastKey: [UInt8]?
    var rows: UInt64 = 0
    var unreadable: UInt64 = 0

    init(walk: Int) { self.walk = walk }

    /// nil when no migration is under way.
    static func read(_ reading: some StoreReading) throws(StoreError) -> MigrationPlace? {
        guard let stored = try reading.get(.meta, MetaKey.migration) else { return nil }
        return try MigrationPlace(encoded: stored)
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.write(UInt32(walk))
        writer.write(optional: lastKey) { $0.write(variable: $1) }
        writer.write(rows)
        writer.write(unreadable)
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(StoreError) {
        var reader = ByteReader(encoded)
        walk = Int(try reader.readUInt32())
        lastKey = try reader.readOptional { (reader) throws(StoreError) in try reader.readVariable() }
        rows = try reader.readUInt64()
        unreadable = try reader.readUInt64()
        try reader.finish()
        guard walk <= SchemaMigration.all.count else { throw ByteReader.corrupt("migration") }
    }
}
