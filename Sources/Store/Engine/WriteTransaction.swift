import CRocksDB
import Kaspa

/// One atomic write: what it puts and deletes is seen by its own reads at once, and by everybody after the commit.
///
/// It lives on the store's writer thread for the length of one closure and is not `Sendable`.
final class WriteTransaction: StoreReading {
    let database: Database
    /// What the writer knows of before this; see `note(waiting:for:)`.
    let waiting: WaitingQueues?
    var waitingChanges: [DeviceID: [UInt64]?] = [:]
    /// What the writer knows of before this; see `lowerBound(of:)`.
    let lowerBounds: KeyLowerBounds?
    var lowerBoundChanges: [ColumnFamily: [UInt8]] = [:]
    /// In the order of `ColumnFamily.index`.
    private var pending = [PendingWrites](repeating: PendingWrites(), count: ColumnFamily.allCases.count)
    /// Registrations that it read, for `RowCache`.
    private var registrations: [RowKey: [UInt8]] = [:]
    /// Addresses that a device watches from now on; the writer hands them on after the commit.
    var newlyWatched: [Address] = []
    /// Items of activity that the writes change, in the order in which they did so first; see `touch`.
    var touches: [ActivityTouch] = []
    var touchIndex: [TransactionID: Int] = [:]
    /// Where the virtual chain stands after this, if it moves.
    var newBlueScore: UInt64?

    init(_ database: Database, waiting: WaitingQueues? = nil, lowerBounds: KeyLowerBounds? = nil) {
        self.database = database
        self.waiting = waiting
        self.lowerBounds = lowerBounds
    }

    var isEmpty: Bool { pending.allSatisfy(\.isEmpty) }

    func put(_ family: ColumnFamily, _ key: [UInt8], _ value: [UInt8]) {
        if KeyLowerBounds.areKept(of: family), KeyBytes.precedes(key, lowerBound(of: family)) {
            note(nothingBelow: key, in: family)
        }
        pending[family.index].set(key, value)
    }

    func delete(_ family: ColumnFamily, _ key: [UInt8]) {
        pending[family.index].set(key, nil)
    }

    func get(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> [UInt8]? {
        if let written = pending[family.index][key] { return written }
        let row = try database.get(family, key)
        if family == .devices { registrations[RowKey(key)] = row }
        return row
    }

    func scan(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8],
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        guard !pending[family.index].isEmpty else {
            return try database.scan(family, from: lower, below: upper, body)
        }
        // A copy: what the body writes does not change what is walked.
        let writes = pending[family.index].values
        var own = pending[family.index].keys(from: lower, below: upper)
        var goesOn = true
        func lendOwn(before key: UnsafeRawBufferPointer?) throws(StoreError) {
            while goesOn, let first = own.first {
                if let key, !first.lexicographicallyPrecedes(key) { return }
                _ = own.popFirst()
                guard case .some(.some(let value)) = writes[RowKey(first)] else { continue }
                goesOn = try first.lend(value, body)
            }
        }
        try database.scan(family, from: lower, below: upper) { (row) throws(StoreError) in
            try lendOwn(before: row.key)
            // A row that was overwritten is lent with the transaction's own rows.
            if goesOn, writes[RowKey(Array(row.key))] == nil { goesOn = try body(row) }
            return goesOn
        }
        try lendOwn(before: nil)
    }

    /// Throws if a key of the watch index is shorter than an address: RocksDB would end the process when it is to put it
    /// into a list by address.
    func checkKeys() throws(StoreError) {
        let watchers = pending[ColumnFamily.watchers.index].values
        guard watchers.keys.allSatisfy({ $0.bytes.count >= WatchKey.prefixBytes }) else {
            throw ByteReader.corrupt("a key of watchers")
        }
    }

    func commit(synced: Bool) throws(StoreError) {
        guard !isEmpty else { return }
        let batch: OpaquePointer = rocksdb_writebatch_create()
        defer { rocksdb_writebatch_destroy(batch) }
        for family in ColumnFamily.allCases {
            let handle = database.familyHandle(family)
            // In order: the next place in RocksDB's list is then looked for from the last.
            for (key, value) in pending[family.index].ordered {
                key.bytes.withCharacters { keyStart, keyLength in
                    guard let value else { return rocksdb_writebatch_delete_cf(batch, handle, keyStart, keyLength) }
                    value.withCharacters {
                        rocksdb_writebatch_put_cf(batch, handle, keyStart, keyLength, $0, $1)
                    }
                }
            }
        }
        if pending[ColumnFamily.watchers.index].isEmpty {
            try database.write(batch, synced: synced)
        } else {
            try database.watchIndexIterator.write { () throws(StoreError) in
                try database.write(batch, synced: synced)
            }
        }
        database.rowCache.commit({ pending[$0.index].values }, read: registrations)
    }
}

extension [UInt8] {
    /// Hands `body` the row of this key and a value; returns what it says.
    fileprivate func lend(
        _ value: [UInt8], _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        var outcome: Result<Bool, StoreError> = .success(false)
        withUnsafeBytes { key in
            value.withUnsafeBytes { value in
                do throws(StoreError) {
                    outcome = .success(try body(Row(key: key, value: value)))
                } catch {
                    outcome = .failure(error)
                }
            }
        }
        return try outcome.get()
    }
}
