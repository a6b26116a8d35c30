#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

extension SQLiteConnection {
    /// Makes an opened file a store of the newest version.
    ///
    /// Another app's file and a newer version's are refused before anything of them is changed.
    func prepare(_ migrations: [String], busyTimeoutMilliseconds: Int32) throws(StoreError) {
        let present = try readTransaction { () throws(StoreError) in try version(newest: migrations.count) }
        try enterWriteAheadLog(busyTimeoutMilliseconds: busyTimeoutMilliseconds)
        // secure_delete: a message that the app has confirmed leaves no text in free pages.
        try execute(
            """
            PRAGMA synchronous = NORMAL;
            PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = ON;
            PRAGMA journal_size_limit = 1048576;
            """)
        // The newest version takes no write lock, so that opening does not wait for the other process.
        if present < migrations.count { while try migrateOnce(migrations) {} }
    }

    /// The file's version; 0 for an empty file.
    private func version(newest: Int) throws(StoreError) -> Int {
        let isEmpty = try integer("SELECT count(*) FROM sqlite_master") == 0
        let application = try integer("PRAGMA application_id")
        guard isEmpty || application == Int64(Schema.applicationID) else { throw StoreError(.notThisStore) }
        let version = Int(try integer("PRAGMA user_version") ?? 0)
        guard version <= newest else {
            throw StoreError(.newerVersion, "version \(version), this app knows up to \(newest)")
        }
        return version
    }

    /// Applies the migration after the file's version in one transaction; false when there is none.
    ///
    /// The version is read under the write lock, since another process may have migrated meanwhile.
    private func migrateOnce(_ migrations: [String]) throws(StoreError) -> Bool {
        try writeTransaction { () throws(StoreError) in
            let version = try version(newest: migrations.count)
            guard version < migrations.count else { return false }
            try execute(migrations[version])
            try execute("PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(version + 1)")
            return true
        }
    }

    /// Switches the file to a write-ahead log, once in its life.
    ///
    /// The switch needs the file for itself, and SQLite does not wait for that with the busy timeout.
    private func enterWriteAheadLog(busyTimeoutMilliseconds: Int32) throws(StoreError) {
        let pauseMilliseconds: Int32 = 5
        for triesLeft in (0...busyTimeoutMilliseconds / pauseMilliseconds).reversed() {
            do throws(StoreError) {
                let mode = try rows("PRAGMA journal_mode = WAL") { (row) throws(StoreError) in try row.text(0) }
                guard mode == ["wal"] else { throw StoreError(.cannotOpen, "no write-ahead log on this file system") }
                return
            } catch  where error.code == .locked && triesLeft > 0 {
                sqlite3_sleep(pauseMilliseconds)
            }
        }
    }
}
