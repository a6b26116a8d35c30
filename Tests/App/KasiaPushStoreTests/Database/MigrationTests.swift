import Foundation
import Testing

@testable import KasiaPushStore

@Suite struct MigrationTests {
    static let migrations = [
        "CREATE TABLE first (a INTEGER)",
        "CREATE TABLE second (a INTEGER); INSERT INTO second SELECT a + 1 FROM first",
        "ALTER TABLE second ADD COLUMN b INTEGER DEFAULT 7",
    ]
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: 1...3) func `each version becomes the newest`(version: Int) async throws {
        let old = try await Database.open(path: folder.file, migrations: Array(Self.migrations.prefix(version)))
        try await old.write { connection throws(StoreError) in try connection.run("INSERT INTO first VALUES (4)") }
        await old.close()
        let new = try await Database.open(path: folder.file, migrations: Self.migrations)
        #expect(try await new.integer("PRAGMA user_version") == 3)
        #expect(try await new.integer("SELECT a FROM first") == 4)
        #expect(try await new.integer("SELECT a + b FROM second") == (version == 1 ? 12 : nil))
    }

    @Test(arguments: 0..<Schema.migrations.count) func `each released version becomes the newest`(version: Int)
        async throws
    {
        let released = Array(Schema.migrations.prefix(version))
        await (try Database.open(path: folder.file, migrations: released)).close()
        #expect(try await folder.store().integer("PRAGMA user_version") == Int64(Schema.migrations.count))
    }

    @Test func `a migration that fails leaves the version before it`() async throws {
        let broken = [Self.migrations[0], "CREATE TABLE second (a INTEGER); INSERT INTO missing VALUES (1)"]
        let error = await #expect(throws: StoreError.self) {
            try await Database.open(path: folder.file, migrations: broken)
        }
        #expect(error?.code == .unexpected)
        let again = try await Database.open(path: folder.file, migrations: [Self.migrations[0]])
        #expect(try await again.integer("PRAGMA user_version") == 1)
        #expect(try await again.integer("SELECT count(*) FROM sqlite_master") == 1)
    }

    @Test func `a newer version is refused and left alone`() async throws {
        await (try Database.open(path: folder.file, migrations: Self.migrations)).close()
        let before = FileManager.default.contents(atPath: folder.file)
        let error = await #expect(throws: StoreError.self) {
            try await Database.open(path: folder.file, migrations: Array(Self.migrations.prefix(2)))
        }
        #expect(error?.code == .newerVersion)
        #expect(
            error?.description
                == "A newer version of the app wrote the store. Update the app. (version 3, this app knows up to 2)")
        #expect(FileManager.default.contents(atPath: folder.file) == before)
    }

    @Test func `connections that open a new file at once migrate it once`() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { try await Database.open(path: folder.file, migrations: Self.migrations) }
            }
            for try await database in group {
                #expect(try await database.integer("PRAGMA user_version") == 3)
                #expect(try await database.integer("SELECT count(*) FROM second") == 0)
            }
        }
    }

    @Test func `version 1 has these columns`() async throws {
        let database = try await Database.open(path: folder.file, migrations: [Schema.migrations[0]])
        let tables = try await database.read { connection throws(StoreError) in
            try connection.rows(
                """
                SELECT name || ': ' || (SELECT group_concat(name || ' ' || type, ', ') FROM pragma_table_info(t.name))
                FROM sqlite_master AS t WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name
                """
            ) { (row) throws(StoreError) in try row.text(0) }
        }
        // Phones have this version: a change goes into a new migration.
        #expect(
            tables == [
                "apps: id INTEGER, domain TEXT, uri TEXT, scheme TEXT",
                "connections: id INTEGER, app INTEGER, device TEXT, address TEXT, connected_at INTEGER",
                "contacts: address TEXT, name TEXT, shared_key_reference TEXT, is_muted INTEGER",
                "dropped_messages: only INTEGER, count INTEGER",
                "granted_methods: connection INTEGER, method TEXT",
                "handled_messages: sequence INTEGER, transaction_id TEXT",
                "pending_messages: sequence INTEGER, transaction_id TEXT, kind TEXT, sender TEXT, thread TEXT, "
                    + "text TEXT, received_at INTEGER, taken_at INTEGER",
                "sent_transactions: sequence INTEGER, transaction_id TEXT, app INTEGER, method TEXT, address TEXT, "
                    + "sent_at INTEGER, status TEXT",
                "sign_outs: sequence INTEGER, address TEXT, requested_at INTEGER",
                "signatures: sequence INTEGER, digest TEXT, app INTEGER, method TEXT, address TEXT, signed_at INTEGER",
            ])
    }
}

extension Database {
    fileprivate func integer(_ sql: StaticString) async throws -> Int64? {
        try await read { connection throws(StoreError) in try connection.integer(sql) }
    }
}
