import CRocksDB
import Foundation
import Kaspa
import StoreSupport
import Testing

@testable import Store

@Suite(
    "Opening", .rocksDBAlone("locks and files of a directory; PostgresStoreTests opens the other"),
    .timeLimit(.minutes(5)))
struct OpeningTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("a/new/store")
    }

    private func failure(_ path: String, network: Network = .mainnet) -> StoreError? {
        do {
            _ = try Store(path: path, network: network)
            return nil
        } catch {
            return error
        }
    }

    @Test("A fresh store is made with its parent directories, empty but for its identity")
    func fresh() async throws {
        let store = try Store(path: path, network: .testnet(10))
        #expect(try await store.history.cursor() == nil)
        #expect(try await store.totals() == Store.Totals(devices: 0, watchEntries: 0, deliveries: 0, events: 0))
        #expect(try await store.registry.providerToken() == nil)
        var expected = StoreDump()
        expected.rows[.meta] = [
            MetaKey.schemaVersion: [0, 0, 0, 9], MetaKey.network: Array("testnet-10".utf8),
        ]
        #expect(try StoreDump(store) == expected)
        #expect(try await store.diskBytes(of: .operations) == 0)
    }

    @Test(
        "A folder that it makes is its owner's alone; one that was there stays as it is",
        arguments: [nil, 0o755, 0o700])
    func folderMode(made: Int?) throws {
        let manager = FileManager.default
        if let made {
            try manager.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: made])
        }
        _ = try Store(path: path, network: .mainnet)
        #expect(try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int == made ?? 0o700)
    }

    @Test("What was written is there after a close and an open")
    func reopened() async throws {
        var store: Store? = try Store(path: path, network: .mainnet)
        try await store?.history.resetCursor(to: Sample.cursor(7))
        try await store?.registry.replaceProviderToken(nil, by: [4, 5])
        store = nil
        let again = try await StoreFiles(path: path).open()
        #expect(try await again.history.cursor() == Sample.cursor(7))
        #expect(try await again.registry.providerToken() == [4, 5])
    }

    @Test("A store that is open in this process is locked")
    func openTwice() throws {
        let store = try Store(path: path, network: .mainnet)
        #expect(failure(path)?.code == .locked)
        withExtendedLifetime(store) {}
    }

    @Test(
        "A store that another process holds is locked, and opens once that process is gone",
        .enabled(if: LockHolder.isAvailable, "needs Perl for the other process"))
    func lockedByAnotherProcess() async throws {
        do {
            let store = try Store(path: path, network: .mainnet)
            try await store.history.resetCursor(to: Sample.cursor(1))
        }
        _ = try await StoreFiles(path: path).open()
        let other = try LockHolder(store: path)
        let error = try #require(failure(path))
        #expect(error.code == .locked)
        #expect(error.message.contains("in use by another process"))
        try other.release()
        #expect(try await Store(path: path, network: .mainnet).history.cursor() == Sample.cursor(1))
    }

    @Test(
        "A store of another network is refused and named",
        arguments: [Network.testnet(10), .testnet(11), .devnet, .simnet])
    func otherNetwork(_ network: Network) async throws {
        do { _ = try Store(path: path, network: .mainnet) }
        let error = try #require(failure(path, network: network))
        #expect(error.code == .otherNetwork)
        #expect(error.message.contains("mainnet") && error.message.contains(network.description))
        // Refusing changes nothing.
        #expect(failure(path) == nil)
    }

    @Test(
        "Schema versions: this one and older ones open, a newer one is refused, a damaged one is corrupt",
        arguments: [
            ([0, 0, 0, 1], nil), ([0, 0, 0, 2], nil), ([0, 0, 0, 3], nil), ([0, 0, 0, 4], nil), ([0, 0, 0, 5], nil),
            ([0, 0, 0, 8], nil), ([0, 0, 0, 9], nil), ([0, 0, 0, 10], .newerSchema),
            ([0xff, 0xff, 0xff, 0xff], .newerSchema),
            ([0, 0, 0, 0], .corrupt), ([0, 0, 1], .corrupt), ([0, 0, 0, 1, 0], .corrupt), ([], .corrupt),
        ] as [([UInt8], StoreError.Code?)])
    func schemaVersions(_ bytes: [UInt8], _ expected: StoreError.Code?) async throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let transaction = WriteTransaction(try Database(path: path))
            transaction.put(.meta, MetaKey.schemaVersion, bytes)
            try transaction.commit(synced: true)
        }
        // An older one is migrated by the first opening, and opens again.
        for _ in 0..<2 { #expect(failure(path)?.code == expected) }
    }

    @Test("A column family that this version does not know means a newer store")
    func unknownFamily() throws {
        do { _ = try Store(path: path, network: .mainnet) }
        try addFamily("from_the_future")
        let error = try #require(failure(path))
        #expect(error.code == .newerSchema)
        #expect(error.message.contains("from_the_future"))
    }

    @Test("A store from before there were the last four families gets them, and cannot be only read before that")
    func olderStore() async throws {
        do {
            let store = try Store(path: path, network: .mainnet)
            try await store.history.resetCursor(to: Sample.cursor(3))
        }
        _ = try await StoreFiles(path: path).open()
        for name in ["transfers", "recent_funds", "reverted", "retractions"] { try dropFamily(name) }
        do {
            _ = try Store(path: path, network: .mainnet, readOnly: true)
            Issue.record("an older store was opened")
        } catch {
            #expect(error.message.contains("older version"))
        }
        let store = try Store(path: path, network: .mainnet)
        #expect(try await store.history.cursor() == Sample.cursor(3))
        #expect(try store.checkBooks().isSound)
    }

    /// Opens the directory with the families that it has and drops one.
    private func dropFamily(_ name: String) throws {
        let options = rocksdb_options_create()
        defer { rocksdb_options_destroy(options) }
        var count = 0
        let list = try checked("list") { rocksdb_list_column_families(options, path, &count, $0) }
        let names = (0..<count).compactMap { list?[$0].map { String(cString: $0) } }
        rocksdb_list_column_families_destroy(list, count)
        let pointers = names.map { strdup($0).map { UnsafePointer($0) } }
        defer { for pointer in pointers { free(UnsafeMutableRawPointer(mutating: pointer)) } }
        var handles = [OpaquePointer?](repeating: nil, count: names.count)
        let perFamily = [OpaquePointer?](repeating: options, count: names.count)
        let database = try checked("open") {
            rocksdb_open_column_families(options, path, Int32(names.count), pointers, perFamily, &handles, $0)
        }
        let index = try #require(names.firstIndex(of: name))
        try checked("drop") { rocksdb_drop_column_family(database, handles[index], $0) }
        for handle in handles { rocksdb_column_family_handle_destroy(handle) }
        rocksdb_close(database)
    }

    /// Opens the directory with all its families and adds one, as a later version would.
    private func addFamily(_ name: String) throws {
        let options = rocksdb_options_create()
        defer { rocksdb_options_destroy(options) }
        let names = ["default"] + ColumnFamily.allCases.map(\.rawValue)
        let pointers = names.map { strdup($0).map { UnsafePointer($0) } }
        defer { for pointer in pointers { free(UnsafeMutableRawPointer(mutating: pointer)) } }
        var handles = [OpaquePointer?](repeating: nil, count: names.count)
        let perFamily = [OpaquePointer?](repeating: options, count: names.count)
        let database = try checked("open") {
            rocksdb_open_column_families(options, path, Int32(names.count), pointers, perFamily, &handles, $0)
        }
        handles.append(try checked("add") { rocksdb_create_column_family(database, options, name, $0) })
        for handle in handles { rocksdb_column_family_handle_destroy(handle) }
        rocksdb_close(database)
    }

    @Test("A file in the directory's place is an input or output error")
    func file() throws {
        let file = directory.file("file")
        #expect(FileManager.default.createFile(atPath: file, contents: Data("not a store".utf8)))
        #expect(failure(file)?.code == .inputOutput)
        #expect(failure(file + "/below")?.code == .inputOutput)
        #expect(try Data(contentsOf: URL(filePath: file)) == Data("not a store".utf8))
    }

    @Test(
        "A directory that cannot be written is an input or output error",
        .enabled(if: geteuid() != 0, "root may write everywhere"))
    func readOnly() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: path)
        #expect(failure(path)?.code == .inputOutput)
        #expect(failure(path + "/below")?.code == .inputOutput)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }

    @Test("A store whose manifest is gone does not start empty")
    func manifestGone() throws {
        do { _ = try Store(path: path, network: .mainnet) }
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasPrefix("MANIFEST") {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
        #expect(failure(path) != nil)
    }

    @Test("A checkpoint is a store of its own with the same rows")
    func checkpoint() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(3)
        let copy = fixture.directory.file("checkpoint")
        try await fixture.store.checkpoint(to: copy)
        let before = try StoreDump(fixture.store)
        try await fixture.store.registry.removeDevice(Sample.id(1))
        let opened = try Store(path: copy, network: .mainnet)
        #expect(try StoreDump(opened) == before)
        try await opened.history.resetCursor(to: Sample.cursor(50))
        #expect(try await fixture.store.history.cursor() == Sample.cursor(3))
        await #expect(throws: StoreError.self) { try await fixture.store.checkpoint(to: copy) }
    }

    /// A folder in memory, which is another file system than that of the tests' stores; nil where there is none.
    private static let otherFileSystem: String? = {
        func device(_ path: String) -> Int? {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return (attributes?[.systemNumber] as? NSNumber)?.intValue
        }
        guard let memory = device("/dev/shm"), let temporary = device(NSTemporaryDirectory()), memory != temporary
        else { return nil }
        return "/dev/shm/kasia-store-tests-\(UUID().uuidString)"
    }()

    @Test("A checkpoint on another file system is the same, and leaves nothing in the store's own directory")
    func checkpointElsewhere() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(3)
        let before = try StoreDump(fixture.store)
        let rocks = try #require(fixture.store.rocks)
        var copies = [fixture.directory.file("copied")]
        try await fixture.store.copyCheckpoint(of: rocks, to: copies[0])
        if let elsewhere = Self.otherFileSystem {
            try await fixture.store.checkpoint(to: elsewhere)
            copies.append(elsewhere)
        }
        defer { copies.forEach { try? FileManager.default.removeItem(atPath: $0) } }
        for copy in copies {
            #expect(try StoreDump(Store(path: copy, network: .mainnet)) == before)
            let again = await #expect(throws: StoreError.self) {
                try await fixture.store.copyCheckpoint(of: rocks, to: copy)
            }
            #expect(again?.code == .inputOutput)
            #expect(!FileManager.default.fileExists(atPath: copy + ".partial"))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.path)
        #expect(!names.contains { $0.hasPrefix(Store.stagingPrefix) })
    }

    @Test(
        "Whether a store is in use is seen without opening it, and whatever is the matter with it",
        .enabled(if: LockHolder.isAvailable))
    func inUse() throws {
        #expect(try !Store.isInUse(at: path))
        do { _ = try Store(path: path, network: .mainnet) }
        #expect(try !Store.isInUse(at: path))
        try Data("none".utf8).write(to: URL(filePath: path + "/CURRENT"))
        let holder = try LockHolder(store: path)
        #expect(try Store.isInUse(at: path))
        try holder.release()
        #expect(try !Store.isInUse(at: path))
        #expect(failure(path) != nil)
    }

    @Test("Who reads beside a service goes on reading the tables that it has compacted away")
    func readingBeside() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(3)
        for family in ColumnFamily.allCases { await fixture.store.compact(family) }
        let before = try StoreDump(fixture.store)
        let reader = try Store(path: fixture.path, network: .mainnet, readOnly: true)
        func tables() throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: fixture.path).filter { $0.hasSuffix(".sst") })
        }
        let old = try tables()
        try await fixture.store.clear()
        for family in ColumnFamily.allCases { await fixture.store.compact(family) }
        #expect(try old.subtracting(tables()).count > 5)
        #expect(try StoreDump(reader) == before)
        #expect(try reader.checkBooks().isSound)
    }

    @Test("What a copy left that was cut short goes at the next opening to write, and not at one to read")
    func staging() throws {
        do { _ = try Store(path: path, network: .mainnet) }
        let staging = "\(path)/\(Store.stagingPrefix)1"
        try FileManager.default.createDirectory(atPath: staging, withIntermediateDirectories: false)
        do { _ = try Store(path: path, network: .mainnet, readOnly: true) }
        #expect(FileManager.default.fileExists(atPath: staging))
        do { _ = try Store(path: path, network: .mainnet) }
        #expect(!FileManager.default.fileExists(atPath: staging))
    }

    @Test(
        "RocksDB's error texts are sorted by what an operator can do",
        arguments: [
            ("IO error: While lock file: /x/LOCK: Resource temporarily unavailable", .locked),
            ("IO error: lock hold by current process, acquire time 1 acquiring thread 2: /x/LOCK", .locked),
            ("IO error: No space left on device: While appending to file: /x/1.log", .inputOutput),
            ("IO error: While open a file for lock: /x/LOCK: Permission denied", .inputOutput),
            ("Corruption: block checksum mismatch", .corrupt), ("Invalid argument: odd", .engine),
        ] as [(String, StoreError.Code)])
    func errorTexts(_ text: String, _ code: StoreError.Code) {
        #expect(StoreError.engine(text, doing: "test").code == code)
    }
}
