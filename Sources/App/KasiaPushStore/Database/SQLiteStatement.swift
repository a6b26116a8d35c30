#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// A prepared statement, finalized when it goes out of scope, so that no read lock outlives a call.
struct SQLiteStatement: ~Copyable {
    private let handle: OpaquePointer
    private let connection: OpaquePointer

    /// Prepares one statement; `StaticString`, so that no value is ever part of the text.
    init(_ sql: StaticString, on connection: OpaquePointer) throws(StoreError) {
        var handle: OpaquePointer?
        let result = sql.withUTF8Buffer { text in
            text.withMemoryRebound(to: CChar.self) {
                sqlite3_prepare_v2(connection, $0.baseAddress, Int32($0.count), &handle, nil)
            }
        }
        guard result == SQLITE_OK else { throw StoreError(sqlite: result, on: connection) }
        guard let handle else { preconditionFailure("A statement has text") }
        self.handle = handle
        self.connection = connection
    }

    deinit {
        // Its code repeats what the last step threw.
        sqlite3_finalize(handle)
    }

    func bind(_ values: [SQLiteValue]) throws(StoreError) {
        precondition(values.count == sqlite3_bind_parameter_count(handle), "Each parameter has one value")
        for (index, value) in values.enumerated() {
            let result =
                switch value {
                case .integer(let number?): sqlite3_bind_int64(handle, Int32(index + 1), number)
                case .text(let text?): bind(text, at: Int32(index + 1))
                case .integer(nil), .text(nil): sqlite3_bind_null(handle, Int32(index + 1))
                }
            guard result == SQLITE_OK else { throw StoreError(sqlite: result, on: connection) }
        }
    }

    /// Goes to the next row; false after the last one.
    func step() throws(StoreError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let result: throw StoreError(sqlite: result, on: connection)
        }
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func optionalInteger(_ column: Int32) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : integer(column)
    }

    func optionalText(_ column: Int32) -> String? {
        // The text is asked for before its length, as SQLite's page on result values wants it.
        guard let text = sqlite3_column_text(handle, column) else { return nil }
        return String(
            decoding: UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, column))), as: UTF8.self)
    }

    /// The text of a column that is never null; only a damaged file has null there.
    func text(_ column: Int32) throws(StoreError) -> String {
        guard let text = optionalText(column) else { throw StoreError(.corrupt, "a text is missing") }
        return text
    }

    private func bind(_ text: String, at index: Int32) -> Int32 {
        var text = text
        // SQLITE_TRANSIENT, a macro that Swift does not see: SQLite copies the bytes before it returns.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                // An empty buffer may have no address, which SQLite would take for null.
                guard let start = $0.baseAddress else { return sqlite3_bind_text(handle, index, "", 0, copied) }
                return sqlite3_bind_text(handle, index, start, Int32($0.count), copied)
            }
        }
    }
}
