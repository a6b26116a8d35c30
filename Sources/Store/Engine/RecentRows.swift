/// The rows written last, in two generations: when the younger is full, it becomes the older, and the older's rows go.
struct RecentRows {
    private let generationCapacity: Int
    private var younger: [RowKey: [UInt8]] = [:]
    private var older: [RowKey: [UInt8]] = [:]
    /// As `RowCache.cost` counts.
    private var youngerBytes = 0
    private var olderBytes = 0

    /// Holds rows of at most this many bytes, and at least half of that when nothing is taken away.
    init(capacity: Int) { generationCapacity = capacity / 2 }

    /// Bytes of all rows.
    var bytes: Int { youngerBytes + olderBytes }

    subscript(_ key: RowKey) -> [UInt8]? { younger[key] ?? older[key] }

    var all: [RowKey: [UInt8]] { younger.merging(older) { row, _ in row } }

    /// Puts a row in the place of what was there; takes that away if the new one is nil or does not fit.
    mutating func set(_ key: RowKey, _ row: [UInt8]?) {
        if let old = older.removeValue(forKey: key) { olderBytes -= RowCache.cost(key, old) }
        if let old = younger.removeValue(forKey: key) { youngerBytes -= RowCache.cost(key, old) }
        guard let row else { return }
        let cost = RowCache.cost(key, row)
        guard cost <= generationCapacity else { return }
        if youngerBytes + cost > generationCapacity {
            (older, olderBytes) = (younger, youngerBytes)
            (younger, youngerBytes) = ([:], 0)
        }
        younger[key] = row
        youngerBytes += cost
    }
}
