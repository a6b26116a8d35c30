#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// One connection to the file.
///
/// Not `Sendable`: `Database` keeps it on its queue.
final class SQLiteConnection {
    private let handle: OpaquePointer

    /// Lets the notification extension read the files while the phone is locked, from the first unlock after a start.
    ///
    /// SQLite gives this class to each file that it makes. Setting it by `FileManager` instead could open and close a
    /// file, which would drop SQLite's locks on it. Elsewhere than on a phone files have no such class.
    #if os(iOS) || os(visionOS)
    private static let fileProtection = SQLITE_OPEN_FILEPROTECTION_COMPLETEUNTILFIRSTUSERAUTHENTICATION
    #else
    private static let fileProtection: Int32 = 0
    #endif

    /// Opens or creates the file.
    ///
    /// `path` is absolute and its folder free of links: SQLite refuses a link anywhere in it. SQLite's own mutex is
    /// off, because one queue serialises all calls.
    init(path: String, busyTimeoutMilliseconds: Int32) throws(StoreError) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
        let result = sqlite3_open_v2(path, &handle, flags | SQLiteConnection.fileProtection, nil)
        guard result == SQLITE_OK, let handle else {
            let error = StoreError(sqlite: result, on: handle)
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, busyTimeoutMilliseconds)
        // SQLite opens a file that it may not write read-only, without an error.
        guard sqlite3_db_readonly(handle, "main") == 0 else { throw StoreError(.readOnly) }
    }

    deinit {
        // Statements do not outlive a call, so nothing keeps the connection open.
        sqlite3_close_v2(handle)
    }

    /// Rows that the last insert, update or delete changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// The row id of the last insert.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs statements without values, separated by semicolons.
    func execute(_ script: String) throws(StoreError) {
        let result = sqlite3_exec(handle, script, nil, nil, nil)
        guard result == SQLITE_OK else { throw StoreError(sqlite: result, on: handle) }
    }

    /// Runs a statement to its end.
    func run(_ sql: StaticString, _ values: [SQLiteValue] = []) throws(StoreError) {
        _ = try rows(sql, values) { (_) throws(StoreError) in }
    }

    /// All rows of a statement, each read by the closure.
    func rows<Row>(
        _ sql: StaticString, _ values: [SQLiteValue] = [],
        _ read: (borrowing SQLiteStatement) throws(StoreError) -> Row
    ) throws(StoreError) -> [Row] {
        let statement = try SQLiteStatement(sql, on: handle)
        try statement.bind(values)
        var rows: [Row] = []
        while try statement.step() { rows.append(try read(statement)) }
        return rows
    }

    /// The one integer of a statement; nil without a row.
    func integer(_ sql: StaticString, _ values: [SQLiteValue] = []) throws(StoreError) -> Int64? {
        try rows(sql, values) { (row) throws(StoreError) in row.integer(0) }.first
    }

    /// Runs the closure in a transaction that has the write lock from its beginning, so that it never has to wait for
    /// the lock after it has read; rolled back when the closure throws.
    func writeTransaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try transaction("BEGIN IMMEDIATE", body)
    }

    /// Runs the closure on one snapshot of the database.
    func readTransaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try transaction("BEGIN", body)
    }

    private func transaction<Result>(
        _ begin: String, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try execute(begin)
        do throws(StoreError) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // After some errors, a full disk among them, SQLite has rolled back already.
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            throw error
        }
    }
}
