import Foundation

@testable import KasiaPushStore

/// A folder of one test, removed with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("push-store-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Where the tests' store is.
    var file: String { path + "/store.sqlite" }

    func store(busyTimeoutMilliseconds: Int32 = Database.busyTimeoutMilliseconds) async throws -> PushStore {
        PushStore(try await Database.open(path: file, busyTimeoutMilliseconds: busyTimeoutMilliseconds))
    }

    /// A connection of another party, without the store's settings; the folder is no link.
    func otherConnection() throws -> SQLiteConnection {
        try SQLiteConnection(path: StoreFile.resolve(file), busyTimeoutMilliseconds: 0)
    }
}
