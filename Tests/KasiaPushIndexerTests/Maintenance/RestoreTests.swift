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
    func unusable(_ what: String) async throws {
        let (backup, path) = (directory.path + "/backup", directory.path + "/store")
        do { _ = try Store(path: backup, network: .mainnet) }
        do { _ = try Store(path: path, network: what == "of another network" ? .devnet : .mainnet) }
        if what != "of another network" {
            try Data(what.utf8).write(to: URL(filePath: path + "/CURRENT"))
        }
        #expect(throws: StoreError.self) { try Store(path: path, network: .mainnet) }
        let before = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        let restore = Restore(backup: backup, storePath: path, network: .mainnet)
        await #expect(throws: StartError.self) { try await restore.run(replacing: false, now: "1") { _, _ in } }
        let result = try await restore.run(replacing: true, now: "1") { _, _ in }
        #expect(result.replaced?.hasSuffix("/store.replaced-1") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path + ".replaced-1").sorted() == before)
        #expect(try await Store(path: path, network: .mainnet).totals().devices == 0)
    }

    @Test("Restores of one second keep every store that was there", arguments: [2, 4])
    func sameSecond(_ count: Int) async throws {
        let (backup, path) = (directory.path + "/backup", directory.path + "/store")
        do { _ = try Store(path: backup, network: .mainnet) }
        do { _ = try Store(path: path, network: .mainnet) }
        try Data("first".utf8).write(to: URL(filePath: path + "/mark"))
        let restore = Restore(backup: backup, storePath: path, network: .mainnet)
        var kept: [String?] = []
        for _ in 1...count { kept.append(try await restore.run(replacing: true, now: "1") { _, _ in }.replaced) }
        let names = ["-1"] + (2...count).map { "-1-\($0)" }
        #expect(kept.map { $0.map { URL(filePath: $0).lastPathComponent } } == names.map { "store.replaced" + $0 })
        #expect(FileManager.default.fileExists(atPath: path + ".replaced-1/mark"))
        for name in kept {
            let path = try #require(name)
            #expect(try await Store(path: path, network: .mainnet).totals().devices == 0)
        }
    }

    @Test("A second restore does not begin beside a first")
    func beside() async throws {
        let (backup, path) = (directory.path + "/backup", directory.path + "/store")
        do { _ = try Store(path: backup, network: .mainnet) }
        let restore = Restore(backup: backup, storePath: path, network: .mainnet)
        let error = await #expect(throws: StartError.self) {
            _ = try await restore.run(replacing: false, now: "1") { _, _ in
                _ = try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                // The first restore does not go on before the second has ended.
                let hasEnded = DispatchSemaphore(value: 0)
                Task.detached {
                    do {
                        _ = try await restore.run(replacing: true, now: "1") { _, _ in }
                        Issue.record("the second began")
                    } catch {
                        #expect("\(error)".contains("another restore works in"))
                    }
                    hasEnded.signal()
                }
                hasEnded.wait()
                try? FileManager.default.removeItem(atPath: path)
            }
            throw StartError(description: "the first ended")
        }
        #expect(error?.description == "the first ended")
        #expect(try await Store(path: path, network: .mainnet).totals().devices == 0)
    }
}
