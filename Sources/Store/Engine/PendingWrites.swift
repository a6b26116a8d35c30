import Kaspa

/// A row that is put, or deleted if it has no value.
package typealias RowWrite = (key: RowKey, value: [UInt8]?)

/// What a transaction has put and deleted in one column family: found by key at once, and in key order for scans and the
/// commit.
///
/// RocksDB's own batch with an index answers both out of one list that compares whole records; this costs a fraction of
/// it. The rows are kept in key order as long as that is cheap, which is nearly always: most transactions write few rows
/// to a family, or many in order. Else they are found through a dictionary, and sorted when the order is asked for.
struct PendingWrites {
    /// More rows than this are not moved to keep the order.
    static let mostMoved = 64

    /// Each key once; in key order if there are no places.
    private(set) var rows: [RowWrite] = []
    /// Where each row stands, if they are in no order.
    private var places: [RowKey: Int]?

    var isEmpty: Bool { rows.isEmpty }

    /// What was written under the key, nil in it for a deletion; nil if nothing was.
    func value(of key: [UInt8]) -> [UInt8]?? {
        if let places { return places[RowKey(key)].map { rows[$0].value } }
        let place = place(of: key)
        return place < rows.count && KeyBytes.areEqual(rows[place].key.bytes, key) ? .some(rows[place].value) : nil
    }

    /// The last write wins.
    mutating func set(_ key: RowKey, _ value: [UInt8]?) {
        if places == nil {
            let place = place(of: key.bytes)
            if place < rows.count, rows[place].key == key { return rows[place].value = value }
            if rows.count - place <= PendingWrites.mostMoved { return rows.insert((key, value), at: place) }
            places = Dictionary(uniqueKeysWithValues: rows.indices.map { (rows[$0].key, $0) })
        }
        if let place = places?[key] { return rows[place].value = value }
        places?[key] = rows.count
        rows.append((key, value))
    }

    /// All rows in key order.
    mutating func ordered() -> [RowWrite] {
        if places != nil {
            places = nil
            rows.sort { KeyBytes.precedes($0.key.bytes, $1.key.bytes) }
        }
        return rows
    }

    /// Those with `lower <= key < upper`, in key order.
    mutating func rows(from lower: [UInt8], below upper: [UInt8]) -> ArraySlice<RowWrite> {
        let rows = ordered()
        let (start, end) = (place(of: lower), place(of: upper))
        return start < end ? rows[start..<end] : []
    }

    /// Where the first row stands whose key is not below `bound`, of rows in order.
    private func place(of bound: [UInt8]) -> Int {
        // Most rows come in order.
        guard let last = rows.last, !KeyBytes.precedes(last.key.bytes, bound) else { return rows.count }
        var (low, high) = (0, rows.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if KeyBytes.precedes(rows[middle].key.bytes, bound) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A row's key in a dictionary: its bytes are hashed in one run, where an array hashes them one by one.
package struct RowKey: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The key in `operations` that a row of `events` or `deliveries` begins with.
    init(operationOf row: [UInt8]) { self.init(Array(row.prefix(Hash.byteCount))) }

    package func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// The derived one compares byte after byte.
    package static func == (key: RowKey, other: RowKey) -> Bool { KeyBytes.areEqual(key.bytes, other.bytes) }
}
