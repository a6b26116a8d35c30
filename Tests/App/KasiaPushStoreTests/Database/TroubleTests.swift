import Foundation
import KasiaPushCore
import Testing

@testable import KasiaPushStore

@Suite struct TroubleTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a lock that another process keeps is reported, and nothing is changed`() async throws {
        let store = try await folder.store(busyTimeoutMilliseconds: 5)
        let other = try folder.otherConnection()
        try other.execute("BEGIN IMMEDIATE")
        let error = await #expect(throws: StoreError.self) { try await store.pending.add(message(1)) }
        #expect(error?.code == .locked)
        // Reading goes on beside a writer.
        #expect(try await store.pending.count() == 0)
        let lookup: any ContactLookup = store.contacts
        #expect(try lookup.contact("kaspa:qa") == nil)
        try other.execute("COMMIT")
        #expect(try await store.pending.add(message(1)) == .added)
    }

    @Test func `opening waits for its time, then reports the lock`() async throws {
        let other = try folder.otherConnection()
        try other.execute("BEGIN EXCLUSIVE")
        let error = await #expect(throws: StoreError.self) { try await folder.store(busyTimeoutMilliseconds: 5) }
        #expect(error?.code == .locked)
    }

    @Test func `a switch to the log waits for a reader of the file`() async throws {
        // A file of ours that was made but not switched: its maker was killed in between.
        try folder.otherConnection().execute(
            "PRAGMA application_id = \(Schema.applicationID); CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let reader = try folder.otherConnection()
        try reader.execute("BEGIN; SELECT * FROM t")
        let error = await #expect(throws: StoreError.self) {
            try await Database.open(path: folder.file, migrations: [""], busyTimeoutMilliseconds: 20)
        }
        #expect(error?.code == .locked)
        try reader.execute("COMMIT")
        _ = try await Database.open(path: folder.file, migrations: [""], busyTimeoutMilliseconds: 20)
    }

    @Test func `a full disk changes nothing, and space makes it work again`() async throws {
        let store = try await folder.store()
        _ = try await store.pending.add(message(1))
        try await store.limitPages(1)
        let long = message(2, text: String(repeating: "x", count: PendingMessage.maximumTextBytes))
        let error = await #expect(throws: StoreError.self) { try await store.pending.add(long) }
        #expect(error?.code == .diskFull)
        #expect(try await store.pending.count() == 1)
        try await store.limitPages(1_000_000)
        #expect(try await store.pending.add(long) == .added)
    }

    @Test func `a file that may not be written is reported`() async throws {
        let store = try await folder.store()
        try await store.database.read { connection throws(StoreError) in
            try connection.execute("PRAGMA query_only = ON")
        }
        let error = await #expect(throws: StoreError.self) { try await store.pending.add(message(1)) }
        #expect(error?.code == .readOnly)
    }

    // Permissions do not bind the superuser.
    @Test(.enabled(if: geteuid() != 0)) func `a file without permission to write is refused`() async throws {
        await (try folder.store()).close()
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.file)
        let error = await #expect(throws: StoreError.self) { try await PushStore.open(path: folder.file) }
        #expect(error?.code == .readOnly)
    }

    @Test func `a file of something else is reported as damaged`() async throws {
        try Data(repeating: 0x78, count: 8_192).write(to: URL(fileURLWithPath: folder.file))
        let error = await #expect(throws: StoreError.self) { try await PushStore.open(path: folder.file) }
        #expect(error?.code == .corrupt)
        #expect(error?.description.contains("PushStore.remove(at:)") == true)
    }

    @Test func `damaged pages are reported as damaged`() async throws {
        let store = try await folder.store()
        for number in 0..<50 { _ = try await store.pending.add(message(number)) }
        await store.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file))
        // All but the header and the schema's first page.
        bytes.replaceSubrange(4_096..., with: Data(repeating: 0xa5, count: bytes.count - 4_096))
        try bytes.write(to: URL(fileURLWithPath: folder.file))
        let error = await #expect(throws: StoreError.self) {
            _ = try await folder.store().pending.take(now: 0)
        }
        #expect(error?.code == .corrupt)
    }

    @Test func `a transaction that throws is rolled back`() async throws {
        let store = try await folder.store()
        let error = await #expect(throws: StoreError.self) {
            try await store.database.write { connection throws(StoreError) in
                try connection.run("INSERT INTO handled_messages (transaction_id) VALUES ('a')")
                throw StoreError(.tooMany)
            }
        }
        #expect(error?.code == .tooMany)
        #expect(try await store.integer("SELECT count(*) FROM handled_messages") == 0)
        #expect(try await store.pending.add(message(1)) == .added)
    }

    @Test func `text keeps its bytes`() async throws {
        let store = try await folder.store()
        let texts = ["", "a\0b", "Grüße 👋🏽", "'; DROP TABLE contacts; --", "\u{fffd}"]
        for (number, text) in texts.enumerated() { _ = try await store.pending.add(message(number, text: text)) }
        #expect(try await store.pending.take(now: 0).messages.map(\.text) == texts)
    }
}

extension PushStore {
    /// Lets the file have so many pages; never fewer than it has.
    fileprivate func limitPages(_ pages: Int) async throws {
        try await database.read { connection throws(StoreError) in
            try connection.execute("PRAGMA max_page_count = \(pages)")
        }
    }
}
