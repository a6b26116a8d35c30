import Foundation
import Kaspa
import Testing

@testable import Store

@Suite("A store of schema version 1", .timeLimit(.minutes(5)))
struct VersionOneTests {
    @Test("The fixture has rows in every column family")
    func complete() throws {
        let rows = try StoreRows.versionOne()
        for family in ColumnFamily.allCases { #expect(!rows[family].isEmpty, "\(family)") }
        #expect(rows[.meta][MetaKey.schemaVersion] == [0, 0, 0, 1])
    }

    @Test("It is what that version wrote of the history")
    func opened() async throws {
        let fixture = try StoreFixture()
        try await StoreHistory.write(to: fixture.store)
        #expect(try StoreDump(fixture.store) == StoreRows.versionOne())
        let path = fixture.directory.file("raw")
        try StoreRows.write(StoreRows.versionOne(), to: path)
        let store = try Store(path: path, network: .mainnet)
        #expect(try StoreDump(store) == StoreRows.versionOne())
        #expect(try store.checkBooks().problems == [])
    }
}
