import Foundation
import Kaspa
import Store
import Testing

@testable import KasiaPushIndexer

@Suite("What is to be restored")
struct RestoreSourceTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func complaint(_ path: String, store: String? = nil) -> String? {
        do {
            try RestoreSource(path: path, storePath: store ?? directory.path + "/store").check()
            return nil
        } catch {
            return error.description
        }
    }

    private func folder(_ name: String) throws -> String {
        let path = directory.path + "/" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    @Test("each wrong folder has its own sentence")
    func wrong() throws {
        let file = try directory.write("x", to: "file")
        let empty = try folder("empty")
        _ = try folder("other")
        let other = try directory.write("x", to: "other/y")
        #expect(complaint(directory.path + "/nothing")?.contains("is not there") == true)
        #expect(complaint(file)?.contains("is a file") == true)
        #expect(complaint(empty)?.contains("is empty") == true)
        #expect(complaint(directory.path + "/other") == "\(directory.path)/other is no backup: it holds no store")
        #expect(FileManager.default.fileExists(atPath: other))
    }

    @Test("the folder that backups are kept in is told from the last one in it")
    func parent() throws {
        let kept = try folder("kept")
        for name in ["2026-01-30", "2026-01-31"] {
            _ = try folder("kept/" + name)
            _ = try directory.write("", to: "kept/\(name)/CURRENT")
        }
        #expect(complaint(kept)?.hasSuffix("did you mean \(kept)/2026-01-31?") == true)
        #expect(complaint(kept + "/2026-01-30") == nil)
    }

    @Test("the store itself is no backup of it, by whatever path", arguments: ["store", "store/", "./store", "link"])
    func storeItself(name: String) throws {
        let store = try folder("store")
        _ = try directory.write("", to: "store/CURRENT")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/link", withDestinationPath: directory.path + "/store")
        #expect(complaint(directory.path + "/" + name, store: store)?.contains("is the store itself") == true)
    }

    @Test("a restore looks at it before it touches anything")
    func restore() async throws {
        do { _ = try Store(path: directory.path + "/store", network: .mainnet) }
        let restore = Restore(
            backup: directory.path + "/store", storePath: directory.path + "/store", network: .mainnet)
        await #expect(throws: StartError.self) { try await restore.run(replacing: true, now: "1") { _, _ in } }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["store"])
    }
}
