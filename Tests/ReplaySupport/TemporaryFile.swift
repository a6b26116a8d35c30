import Foundation

/// A path that is free, and whose file is gone when the closure returns.
package func withTemporaryFile<Result>(_ body: (String) async throws -> Result) async rethrows -> Result {
    let path = FileManager.default.temporaryDirectory.appending(component: "\(UUID()).recording").path()
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

/// A file with these bytes, gone when the closure returns.
package func withTemporaryFile<Result>(
    _ bytes: some Sequence<UInt8>, _ body: (String) throws -> Result
) throws -> Result {
    let path = FileManager.default.temporaryDirectory.appending(component: "\(UUID()).recording").path()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(bytes).write(to: URL(filePath: path))
    return try body(path)
}
