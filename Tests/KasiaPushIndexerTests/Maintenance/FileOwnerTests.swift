import Foundation
import Kaspa
import Store
import Testing

@testable import KasiaPushIndexer

#if canImport(Glibc)
import Glibc
#endif

@Suite("Whose a store is after a command")
struct FileOwnerTests {
    /// Somebody who is not root.
    private static let other = FileOwner(user: 12_345, group: 12_346)

    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Makes a directory and gives it to somebody who is not root, as far as this process may; returns whose it is.
    private func make(_ path: String) throws -> FileOwner {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        if geteuid() == 0 { try Self.other.give(path) }
        return try #require(FileOwner(of: path))
    }

    @Test("only root gives files away, to the store's owner, or to its folder's where there is no store")
    func whom() throws {
        let folder = directory.path + "/state"
        let owner = try make(folder)
        #expect(owner.user != 0)
        let path = folder + "/store"
        #expect(FileOwner.ofStore(at: path, effectiveUser: 0) == owner)
        #expect(FileOwner.ofStore(at: path, effectiveUser: 7) == nil)
        let storeOwner = try make(path)
        #expect(FileOwner.ofStore(at: path, effectiveUser: 0) == storeOwner)
        #expect(FileOwner.ofStore(at: directory.path + "/no/such/store", effectiveUser: 0) == nil)
        // What root owns tells nothing.
        #expect(FileOwner.ofStore(at: "/usr", effectiveUser: 0) == nil)
    }

    @Test("everything in a directory is given, and what a link leads to is not")
    func everything() throws {
        let path = directory.path + "/store"
        let owner = try make(path)
        let names = ["CURRENT", "below/000001.sst"]
        try FileManager.default.createDirectory(atPath: path + "/below", withIntermediateDirectories: true)
        for name in names { try Data().write(to: URL(filePath: "\(path)/\(name)")) }
        try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: "/usr")
        let linked = FileOwner(of: "/usr")
        try owner.give(path)
        for name in names + ["below"] { #expect(FileOwner(of: "\(path)/\(name)") == owner, "\(name)") }
        #expect(FileOwner(of: "/usr") == linked)
    }

    @Test("a directory that is a link is refused by name, and what it leads to stays whose it is")
    func link() throws {
        let path = directory.path + "/store"
        let owner = try make(path)
        let link = directory.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let stranger = FileOwner(user: 23_456, group: 23_456)
        let error = #expect(throws: StartError.self) { try stranger.give(link) }
        #expect(error?.description == "\(link) cannot be given to user 23456, group 23456: it is a link")
        #expect(FileOwner(of: path) == owner)
        // Nothing is there to be given.
        try stranger.give(directory.path + "/nothing")
    }

    @Test(
        "whoever may not give a file away hears whose it was to be",
        .enabled(if: geteuid() != 0, "root may give everything away"))
    func refused() throws {
        let error = #expect(throws: StartError.self) { try Self.other.give(directory.path) }
        #expect(error?.description.contains("cannot be given to user 12345, group 12346: ") == true)
    }

    @Test(
        "root's restore leaves a store of the service's user, and the one that was there too",
        .enabled(if: geteuid() == 0, "only root may give files away"))
    func restore() async throws {
        let backup = directory.path + "/backup"
        _ = try Store(path: backup, network: .mainnet)
        let folder = directory.path + "/state"
        _ = try make(folder)
        let restore = Restore(backup: backup, storePath: folder + "/store", network: .mainnet)
        let first = try await restore.run(replacing: false, now: "1") { _, _ in }
        #expect(first.replaced == nil)
        let second = try await restore.run(replacing: true, now: "2") { _, _ in }
        for store in [folder + "/store", try #require(second.replaced)] {
            #expect(FileOwner(of: store) == Self.other)
            let names = try FileManager.default.contentsOfDirectory(atPath: store)
            #expect(names.contains("CURRENT"))
            for name in names {
                // RocksDB may still clear away behind itself.
                let owner = FileOwner(of: "\(store)/\(name)")
                #expect(owner == nil || owner == Self.other, "\(name)")
            }
        }
    }
}
