import Kaspa

/// What a transaction has put and deleted in one column family: found by key at once, and in key order for scans.
///
/// RocksDB's own batch with an index answers both out of one list that compares whole records; this costs a fraction of
/// it. The order of the keys is kept only once a scan has asked for it, as few families are scanned while they are
/// written; the commit sorts once.
struct PendingWrites {
    /// By key; nil for a deleted one.
    private(set) var values: [RowKey: [UInt8]?] = [:]
    /// All keys in order; nil until the first scan.
    private var order: [[UInt8]]?

    var isEmpty: Bool { values.isEmpty }

    /// All, in key order.
    var ordered: [(key: RowKey, value: [UInt8]?)] {
        values.sorted { KeyBytes.precedes($0.key.bytes, $1.key.bytes) }
    }

    /// What was written under the key, nil in it for a deletion; nil if nothing was.
    subscript(_ key: [UInt8]) -> [UInt8]?? { values[RowKey(key)] }

    /// The last write wins.
    mutating func set(_ key: [UInt8], _ value: [UInt8]?) {
        let isNew = values.updateValue(value, forKey: RowKey(key)) == nil
        guard isNew, order != nil else { return }
        let place = place(of: key)
        order?.insert(key, at: place)
    }

    /// The keys with `lower <= key < upper`, in order.
    mutating func keys(from lower: [UInt8], below upper: [UInt8]) -> ArraySlice<[UInt8]> {
        if order == nil { order = values.keys.map(\.bytes).sorted(by: KeyBytes.precedes) }
        let (start, end) = (place(of: lower), place(of: upper))
        guard let order, start < end else { return [] }
        return order[start..<end]
    }

    /// Where the first key stands that is not below `bound`.
    private func place(of bound: [UInt8]) -> Int {
        guard let order else { return 0 }
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if KeyBytes.precedes(order[middle], bound) { low = middle + 1 } else { high = middle }
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
}
