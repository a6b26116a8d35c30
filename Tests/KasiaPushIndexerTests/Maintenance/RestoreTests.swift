import Foundation
import Kaspa
import Store
import Testing

@testable import KasiaPushIndexer

@Suite("Putting a backup in a store's place")
struct RestoreTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "A store that cannot be opened is replaced, and kept as it is",
        arguments: ["damaged", "of another network"])
    func unusable(_ what: String) throws {
        let (backup, path) = (directory.path + "/backup", directory.path + "/store")
        do { _ = try Store(path: backup, network: .mainnet) }
        do { _ = try Store(path: path, network: what == "of another network" ? .devnet : .mainnet) }
        if what != "of another network" {
            try Data(what.utf8).write(to: URL(filePath: path + "/CURRENT"))
        }
        #expect(throws: StoreError.self) { try Store(path: path, network: .mainnet) }
        let before = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        let restore = Restore(backup: backup, storePath: path, network: .mainnet)
        #expect(throws: StartError.self) { try restore.run(replacing: false, now: "1") { _, _ in } }
        let result = try restore.run(replacing: true, now: "1") { _, _ in }
        #expect(result.replaced?.hasSuffix("/store.replaced-1") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path + ".replaced-1").sorted() == before)
        #expect(try Store(path: path, network: .mainnet).totals().devices == 0)
    }
}
