import Postgres
import Store

/// Rows of one answer, as keys and records.
struct FetchedRows {
    let rows: Rows
    /// The column of the key; the record follows.
    let column: Int
    /// Whether the key is the two columns of the watch index, without a record.
    let isWatchIndex: Bool

    init(_ rows: Rows, of family: ColumnFamily, column: Int = 0) {
        self.rows = rows
        self.column = column
        isWatchIndex = family == .watchers
    }

    var count: Int { rows.count }

    func key(_ row: Int) -> [UInt8] {
        isWatchIndex ? rows.bytes(row, column) + rows.bytes(row, column + 1) : rows.bytes(row, column)
    }

    func record(_ row: Int) -> [UInt8] { isWatchIndex ? [] : rows.bytes(row, column + 1) }

    /// Lends the rows in order until `body` returns false; returns whether it never did.
    func lend(_ body: (Row) throws(StoreError) -> Bool) throws(StoreError) -> Bool {
        for row in 0..<count {
            let goesOn =
                if isWatchIndex {
                    try lend(key(row), body)
                } else {
                    try rows.withBytes(row, column) { (key) throws(StoreError) in
                        try rows.withBytes(row, column + 1) { (record) throws(StoreError) in
                            try body(Row(key: key, value: record))
                        }
                    }
                }
            guard goesOn else { return false }
        }
        return true
    }

    private func lend(_ key: [UInt8], _ body: (Row) throws(StoreError) -> Bool) throws(StoreError) -> Bool {
        var outcome: Result<Bool, StoreError> = .success(false)
        key.withUnsafeBytes { key in
            outcome = Result { () throws(StoreError) in
                try body(Row(key: key, value: UnsafeRawBufferPointer(start: nil, count: 0)))
            }
        }
        return try outcome.get()
    }
}
