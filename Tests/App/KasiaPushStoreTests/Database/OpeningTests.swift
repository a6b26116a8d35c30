import Foundation
import Testing

@testable import KasiaPushStore

@Suite struct OpeningTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a new file has the settings of the contract`() async throws {
        let store = try await folder.store()
        #expect(try await store.integer("PRAGMA synchronous") == 1)
        #expect(try await store.integer("PRAGMA foreign_keys") == 1)
        #expect(try await store.integer("PRAGMA secure_delete") == 1)
        #expect(try await store.integer("PRAGMA user_version") == 1)
        #expect(try await store.integer("PRAGMA application_id") == 0x4b50_5348)
        let mode = try await store.database.read { connection throws(StoreError) in
            try connection.rows("PRAGMA journal_mode") { (row) throws(StoreError) in try row.text(0) }
        }
        #expect(mode == ["wal"])
    }

    @Test(arguments: [
        ("/missing/store.sqlite", StoreError.Code.missingFolder), ("", .cannotOpen), ("/", .cannotOpen),
        ("/..", .cannotOpen), ("/a\0b", .cannotOpen), ("/file/store.sqlite", .cannotOpen), ("/folder", .cannotOpen),
        ("/link", .symbolicLink), ("/dangling", .symbolicLink),
    ])
    func `a path that is no file is refused`(path: String, code: StoreError.Code) async throws {
        let files = FileManager.default
        _ = files.createFile(atPath: folder.path + "/file", contents: Data())
        try files.createDirectory(atPath: folder.path + "/folder", withIntermediateDirectories: false)
        try files.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: folder.path + "/file")
        try files.createSymbolicLink(atPath: folder.path + "/dangling", withDestinationPath: folder.path + "/nothing")
        let error = await #expect(throws: StoreError.self) { try await PushStore.open(path: folder.path + path) }
        #expect(error?.code == code)
        #expect(!files.fileExists(atPath: folder.path + "/nothing"))
    }

    @Test func `an empty path is refused`() async {
        let error = await #expect(throws: StoreError.self) { try await PushStore.open(path: "") }
        #expect(error?.code == .cannotOpen)
    }

    @Test func `a folder may be reached by a link`() async throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: folder.path)
        let store = try await PushStore.open(path: folder.path + "/link/store.sqlite")
        #expect(try await store.pending.add(message(1)) == .added)
        #expect(FileManager.default.fileExists(atPath: folder.file))
    }

    @Test func `an empty file becomes a store`() async throws {
        _ = FileManager.default.createFile(atPath: folder.file, contents: Data())
        #expect(try await folder.store().pending.count() == 0)
    }

    @Test func `what is stored is there after closing`() async throws {
        let store = try await folder.store()
        _ = try await store.pending.add(message(1))
        await store.close()
        let error = await #expect(throws: StoreError.self) { try await store.pending.count() }
        #expect(error?.code == .closed)
        #expect(throws: StoreError(.closed)) { try store.database.readBlocking { (_) throws(StoreError) in 0 } }
        await store.close()
        #expect(try await folder.store().pending.count() == 1)
    }

    @Test func `another app's database is refused and left alone`() async throws {
        try folder.otherConnection().execute("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")
        let before = FileManager.default.contents(atPath: folder.file)
        let error = await #expect(throws: StoreError.self) { try await PushStore.open(path: folder.file) }
        #expect(error?.code == .notThisStore)
        #expect(FileManager.default.contents(atPath: folder.file) == before)
    }

    @Test func `removing makes room for a new store`() async throws {
        let store = try await folder.store()
        _ = try await store.pending.add(message(1))
        // Still open: the log and its index are beside the file.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
        try PushStore.remove(at: folder.file)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        try PushStore.remove(at: folder.file)
        #expect(try await folder.store().pending.count() == 0)
    }

    @Test func `a log whose file is gone is ignored`() async throws {
        let store = try await folder.store()
        _ = try await store.pending.add(message(1))
        try FileManager.default.removeItem(atPath: folder.file)
        #expect(try await folder.store().pending.count() == 0)
    }
}
