#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

extension StoreError {
    /// The error for a result code of SQLite on this connection, whose words are copied at once.
    ///
    /// Misuse of the library (`SQLITE_MISUSE`, `SQLITE_RANGE`) is our own fault and traps.
    init(sqlite result: Int32, on connection: OpaquePointer?) {
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? result
        let detail = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(result))
        precondition(
            result & 0xff != SQLITE_MISUSE && result & 0xff != SQLITE_RANGE, "SQLite is called as documented: \(detail)"
        )
        // The connection reports an older error when the call that failed did not set one.
        let code = extended & 0xff == result & 0xff ? extended : result
        self.init(Code(sqlite: code), detail, sqliteCode: code)
    }
}

extension StoreError.Code {
    init(sqlite code: Int32) {
        switch code & 0xff {
        // Too many retries of a lock count as a lock, too.
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: self = .locked
        case SQLITE_FULL: self = .diskFull
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt
        case SQLITE_READONLY: self = .readOnly
        // SQLITE_CANTOPEN_SYMLINK, a macro that Swift does not see.
        case SQLITE_CANTOPEN where code == SQLITE_CANTOPEN | (6 << 8): self = .symbolicLink
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: self = .cannotOpen
        case SQLITE_IOERR: self = .unreadable
        default: self = .unexpected
        }
    }
}
