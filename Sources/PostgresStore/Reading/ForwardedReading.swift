import Store

/// A reading whose questions go through a connection of the pool's.
protocol ForwardedReading: StoreReading {
    /// Lends a reading to `body`; once more on a new connection if `mayRepeat` after the first was lost.
    func forward<Result>(
        mayRepeat: () -> Bool, _ body: (ServerReading) throws(StoreError) -> Result
    ) throws(StoreError) -> Result
}

/// A scan that has told of a row is not made again.
extension ForwardedReading {
    func get(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> [UInt8]? {
        try forward { (reading) throws(StoreError) in try reading.get(family, key) }
    }

    func scan(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var isTold = false
        try forward(mayRepeat: { !isTold }) { (reading) throws(StoreError) in
            try reading.scan(family, from: lower, below: upper, atMost: limit) { (row) throws(StoreError) in
                isTold = true
                return try body(row)
            }
        }
    }

    func scanBackwards(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var isTold = false
        try forward(mayRepeat: { !isTold }) { (reading) throws(StoreError) in
            try reading.scanBackwards(family, from: lower, below: upper, atMost: limit) { (row) throws(StoreError) in
                isTold = true
                return try body(row)
            }
        }
    }

    func isWatched(_ keys: [WatchKey]) throws(StoreError) -> [Bool] {
        guard !keys.isEmpty else { return [] }
        return try forward { (reading) throws(StoreError) in try reading.isWatched(keys) }
    }

    func willRead(_ rows: () throws(StoreError) -> RowsAhead) throws(StoreError) {
        try forward { (reading) throws(StoreError) in try reading.willRead(rows) }
    }

    func watchIndexKey(_ key: WatchKey) -> [UInt8] { WatchIndex.subject(key) }

    func forward<Result>(
        _ body: (ServerReading) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try forward(mayRepeat: { true }, body)
    }
}
