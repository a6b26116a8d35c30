import Foundation

/// A directory of a test's own, gone with it.
final class TestDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/kasia-postgres-store-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
}
