import Kaspa

/// A row lent by a scan; both buffers are valid until the closure returns.
package struct Row {
    package let key: UnsafeRawBufferPointer
    package let value: UnsafeRawBufferPointer

    package init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        self.key = key
        self.value = value
    }
}

/// Where scans and look-ups read from: the committed state, a snapshot of it, or a transaction with its own writes on
/// top.
package protocol StoreReading {
    /// The row's value, nil if there is none.
    func get(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> [UInt8]?

    /// Lends the rows with `lower <= key < upper` in key order until `body` returns false.
    ///
    /// `limit` is how many rows the caller will take, nil if it cannot say: an engine may read so many at once.
    func scan(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool) throws(StoreError)

    /// The same against key order.
    func scanBackwards(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool) throws(StoreError)

    /// Whether any device is in the index under each of these keys.
    func isWatched(_ keys: [WatchKey]) throws(StoreError) -> [Bool]

    /// How the engine's keys in `watchers` begin for a key; a device's name follows.
    func watchIndexKey(_ key: WatchKey) -> [UInt8]

    /// Says which rows will be read one by one: an engine for which a question is dear asks for all of them at once.
    ///
    /// Nothing depends on it but time. The closure is not called by an engine that reads a row as fast alone.
    func willRead(_ rows: () throws(StoreError) -> RowsAhead) throws(StoreError)
}

/// Rows that are about to be read.
package struct RowsAhead {
    /// Consecutive rows of one family.
    package struct Range {
        package var family: ColumnFamily
        package var lower: [UInt8]
        package var upper: [UInt8]
        /// How many of them, from the first on.
        package var limit: Int
    }

    /// Single rows.
    package var keys: [(family: ColumnFamily, key: [UInt8])] = []
    /// Stretches of rows.
    package var ranges: [Range] = []

    package init() {}

    /// Adds rows of one family.
    package mutating func add(_ family: ColumnFamily, _ keys: some Sequence<[UInt8]>) {
        for key in keys { self.keys.append((family, key)) }
    }

    /// Adds the first `limit` rows with `lower <= key < upper`.
    package mutating func add(_ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], limit: Int) {
        ranges.append(Range(family: family, lower: lower, upper: upper, limit: limit))
    }

    /// Adds the first `limit` rows whose key starts with `prefix`.
    package mutating func add(_ family: ColumnFamily, prefix: [UInt8], limit: Int) {
        add(family, from: prefix, below: KeyBytes.successor(ofPrefix: prefix), limit: limit)
    }
}

extension StoreReading {
    package func watchIndexKey(_ key: WatchKey) -> [UInt8] { key.bytes }

    package func willRead(_ rows: () throws(StoreError) -> RowsAhead) {}

    /// Lends the rows with `lower <= key < upper` in key order until `body` returns false.
    package func scan(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8],
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try scan(family, from: lower, below: upper, atMost: nil, body)
    }

    /// Lends the rows whose key starts with `prefix`.
    package func scan(
        _ family: ColumnFamily, prefix: [UInt8], _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try scan(family, from: prefix, below: KeyBytes.successor(ofPrefix: prefix), body)
    }

    /// What `read` makes of the rows with `lower <= key < upper`, at most `limit` of them; a nil ends the list early.
    package func list<Element>(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], limit: Int,
        _ read: (Row) throws(StoreError) -> Element?
    ) throws(StoreError) -> [Element] {
        var elements: [Element] = []
        guard limit > 0 else { return elements }
        try scan(family, from: lower, below: upper, atMost: limit) { (row) throws(StoreError) in
            guard let element = try read(row) else { return false }
            elements.append(element)
            return elements.count < limit
        }
        return elements
    }

    /// What `read` makes of the last rows with `lower <= key < upper`, against key order, at most `limit` of them.
    func listBackwards<Element>(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], limit: Int,
        _ read: (Row) throws(StoreError) -> Element
    ) throws(StoreError) -> [Element] {
        var elements: [Element] = []
        guard limit > 0 else { return elements }
        try scanBackwards(family, from: lower, below: upper, atMost: limit) { (row) throws(StoreError) in
            elements.append(try read(row))
            return elements.count < limit
        }
        return elements
    }
}

/// The state that was committed last, for reads from any thread.
package protocol CommittedRows: StoreReading, Sendable {
    /// Rows of what waits to be sent, and all of `meta`, kept in memory; taken over from every commit.
    var rowCache: RowCache { get }

    /// What memory tells about a row, whether it is there or not; nil if the engine has to be asked.
    func rowInMemory(_ family: ColumnFamily, _ key: [UInt8]) -> [UInt8]??

    /// The state of this moment, whatever is written afterwards: for reads that must agree with each other.
    func snapshot() -> any StoreReading

    /// The state that was committed last, for the length of one read: what it is told to read ahead it keeps.
    func session() -> any StoreReading

    /// Lends the rows from `lower` on until `body` returns false, and drives nothing out of memory: for walks over
    /// everything.
    func scanUncached(
        _ family: ColumnFamily, from lower: [UInt8], _ body: (Row) throws(StoreError) -> Bool) throws(StoreError)
}

extension CommittedRows {
    /// Lends every address that a device watches in any way, one after another, until `body` returns false; an address
    /// may come several times.
    ///
    /// By the registrations: there is one for some fifty rows of the index, whose unflushed rows are in no order.
    func scanWatchedAddresses(on network: Network, _ body: (Address) -> Bool) throws(StoreError) {
        try scanUncached(.devices, from: []) { (row) throws(StoreError) in
            let device = try DeviceRecord(encoded: Array(row.value), network: network)
            return device.watchedAddresses.allSatisfy(body) && device.watchOnlyAddresses.allSatisfy(body)
                && (device.primaryAddress.map(body) ?? true)
        }
    }

    /// Whether some device watches an address: by the rows, not by a counter, as a filter that is wrongly empty loses
    /// messages.
    func watchesAnything(on network: Network) throws(StoreError) -> Bool {
        var found = false
        try scanWatchedAddresses(on: network) { _ in
            found = true
            return false
        }
        return found
    }
}
