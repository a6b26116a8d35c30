package import Kaspa

/// One atomic write: what it puts and deletes is seen by its own reads at once, and by everybody after the commit.
///
/// It lives on the store's writer thread for the length of one closure and is not `Sendable`.
package final class WriteTransaction: StoreReading {
    /// What was there before.
    let base: any StoreReading
    /// The transaction below this one; nil: the committed state is below.
    let parent: WriteTransaction?
    /// What the writer knows of before this; see `waiting(for:)` and `lowerBound(of:)`.
    let memory: WriterMemory?
    /// Whose devices this store sends to.
    package let shards: ShardPlan
    /// What other shards are to be told of this, in order.
    package private(set) var orders: [Int: [ShardOrder]] = [:]
    /// What shard 0 is to be told of this, in order.
    package private(set) var reports: [ShardReport] = []
    /// The number of the last order that this takes over; 0: none.
    package var lastTakenOrder: UInt64 = 0
    var waitingChanges: [DeviceID: [UInt64]?] = [:]
    var lowerBoundChanges: [ColumnFamily: [UInt8]] = [:]
    /// In the order of `ColumnFamily.index`.
    private(set) var pending = [PendingWrites](repeating: PendingWrites(), count: ColumnFamily.allCases.count)
    /// Registrations that it read, for `RowCache`.
    private(set) var registrations: [RowKey: [UInt8]] = [:]
    /// Operations whose event has ended and told nobody, for `RowCache`.
    var untold: [TransactionID] = []
    /// Addresses that a device watches from now on; the writer hands them on after the commit.
    package internal(set) var newlyWatched: [Address] = []
    /// Items of activity that the writes change, in the order in which they did so first; see `touch`.
    var touches: [ActivityTouch] = []
    var touchIndex: [TransactionID: Int] = [:]
    /// Where the virtual chain stands after this, if it moves.
    var newBlueScore: UInt64?

    /// On top of the committed state.
    package init(_ base: any StoreReading, memory: WriterMemory? = nil, shards: ShardPlan = .single) {
        self.base = base
        self.memory = memory
        self.shards = shards
        parent = nil
    }

    /// On top of another transaction, which may take it over or not.
    package init(on parent: WriteTransaction) {
        base = parent
        memory = parent.memory
        shards = parent.shards
        self.parent = parent
    }

    /// Takes over what another transaction on top of this one has put, deleted and noted.
    package func absorb(_ other: WriteTransaction) {
        for index in pending.indices {
            for row in other.pending[index].rows { pending[index].set(row.key, row.value) }
        }
        registrations.merge(other.registrations) { $1 }
        untold += other.untold
        newlyWatched += other.newlyWatched
        orders.merge(other.orders) { $0 + $1 }
        reports += other.reports
        lastTakenOrder = max(lastTakenOrder, other.lastTakenOrder)
        waitingChanges.merge(other.waitingChanges) { $1 }
        lowerBoundChanges.merge(other.lowerBoundChanges) { $1 }
    }

    /// What is put and deleted in one family, each key once, in no order.
    package func writes(to family: ColumnFamily) -> [RowWrite] { pending[family.index].rows }

    /// The same in key order.
    func orderedWrites(to family: ColumnFamily) -> [RowWrite] { pending[family.index].ordered() }

    package var isEmpty: Bool { pending.allSatisfy(\.isEmpty) }

    package func put(_ family: ColumnFamily, _ key: [UInt8], _ value: [UInt8]) {
        if KeyLowerBounds.areKept(of: family), KeyBytes.precedes(key, lowerBound(of: family)) {
            note(nothingBelow: key, in: family)
        }
        pending[family.index].set(RowKey(key), value)
        if family == .devices, shards.count > 1 { tell(ShardOrder(.registration, key: key, record: value)) }
    }

    package func delete(_ family: ColumnFamily, _ key: [UInt8]) {
        pending[family.index].set(RowKey(key), nil)
        if family == .devices, shards.count > 1 { tell(ShardOrder(.removal, key: key)) }
    }

    /// Tells the shard of a device of a change in its registration.
    private func tell(_ order: ShardOrder) {
        guard shards.own == 0 else { return }
        let shard = shards.shard(of: DeviceID(bytes: order.key))
        if shard != 0 { tell(order, shard: shard) }
    }

    /// Tells another shard.
    func tell(_ order: ShardOrder, shard: Int) { orders[shard, default: []].append(order) }

    /// Tells shard 0.
    func report(_ report: ShardReport) { reports.append(report) }

    package func get(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> [UInt8]? {
        if let written = pending[family.index].value(of: key) { return written }
        let row = try base.get(family, key)
        if family == .devices { registrations[RowKey(key)] = row }
        return row
    }

    package func scan(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        guard !pending[family.index].isEmpty else {
            return try base.scan(family, from: lower, below: upper, atMost: limit, body)
        }
        // A copy: what the body writes does not change what is walked.
        var own = pending[family.index].rows(from: lower, below: upper)
        var goesOn = true
        func lendOwn(before key: UnsafeRawBufferPointer?) throws(StoreError) {
            while goesOn, let first = own.first {
                if let key, !first.key.bytes.lexicographicallyPrecedes(key) { return }
                own.removeFirst()
                if let value = first.value { goesOn = try first.key.bytes.lend(value, body) }
            }
        }
        // Of what is deleted here the base does not know.
        try base.scan(family, from: lower, below: upper, atMost: nil) { (row) throws(StoreError) in
            try lendOwn(before: row.key)
            // A row that was overwritten is lent with the transaction's own rows, which are next then.
            if goesOn, own.first?.key.bytes.elementsEqual(row.key) != true { goesOn = try body(row) }
            return goesOn
        }
        try lendOwn(before: nil)
    }

    /// Those with own writes on top are walked by nobody.
    package func scanBackwards(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        precondition(pending[family.index].isEmpty, "a transaction is not walked backwards over its own writes")
        try base.scanBackwards(family, from: lower, below: upper, atMost: limit, body)
    }

    /// By what was there before: registrations and chain steps are transactions apart.
    package func isWatched(_ keys: [WatchKey]) throws(StoreError) -> [Bool] { try base.isWatched(keys) }

    package func watchIndexKey(_ key: WatchKey) -> [UInt8] { base.watchIndexKey(key) }

    package func willRead(_ rows: () throws(StoreError) -> RowsAhead) throws(StoreError) { try base.willRead(rows) }

    /// Throws if a key of the watch index is shorter than an address: RocksDB would end the process when it is to put it
    /// into a list by address.
    func checkKeys() throws(StoreError) {
        let watchers = pending[ColumnFamily.watchers.index].rows
        guard watchers.allSatisfy({ $0.key.bytes.count >= WatchKey.prefixBytes }) else {
            throw ByteReader.corrupt("a key of watchers")
        }
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
