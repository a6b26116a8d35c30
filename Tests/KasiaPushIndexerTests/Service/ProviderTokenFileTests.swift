import APNs
import Foundation
import Testing

@testable import KasiaPushIndexer

@Suite("The provider token beside a store that is not there yet")
struct ProviderTokenFileTests {
    private let directory: TemporaryDirectory
    private let file: ProviderTokenFile
    private var place: String { directory.path + "/store.provider-token" }

    init() throws {
        directory = try TemporaryDirectory()
        file = ProviderTokenFile(storePath: directory.path + "/store")
    }

    private func token(issuedAt: UInt64) -> StoredProviderToken {
        StoredProviderToken(jwt: "a.b.c", issuedAt: issuedAt, teamID: "T", keyID: "K", keyFingerprint: "F")
    }

    @Test("What is saved is loaded, is its owner's alone, and is gone once it is removed")
    func kept() async throws {
        #expect(await file.load() == nil)
        for time in [2, 1] as [UInt64] {
            _ = try await file.save(token(issuedAt: time), replacing: nil)
            #expect(await file.load() == token(issuedAt: time))
        }
        #expect(await ProviderTokenFile(storePath: directory.path + "/store/").load() == token(issuedAt: 1))
        let manager = FileManager.default
        #expect(try manager.attributesOfItem(atPath: place)[.posixPermissions] as? Int == 0o600)
        #expect(try manager.contentsOfDirectory(atPath: directory.path) == ["store.provider-token"])
        file.remove()
        #expect(await file.load() == nil)
    }

    @Test("What is no token is as good as nothing", arguments: ["", "{}", "[1", String(repeating: "a", count: 20_000)])
    func noToken(text: String) async throws {
        _ = try directory.write(text, to: "store.provider-token")
        #expect(await file.load() == nil)
    }

    @Test("A link is not followed")
    func link() async throws {
        _ = try await file.save(token(issuedAt: 1), replacing: nil)
        let elsewhere = directory.path + "/elsewhere"
        try FileManager.default.moveItem(atPath: place, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: elsewhere)
        #expect(await file.load() == nil)
    }

    @Test("A stranger's file is not believed", .enabled(if: geteuid() == 0, "only root can give files away"))
    func stranger() async throws {
        _ = try await file.save(token(issuedAt: 1), replacing: nil)
        #expect(chown(place, 12_345, 12_345) == 0)
        #expect(await file.load() == nil)
    }
}
