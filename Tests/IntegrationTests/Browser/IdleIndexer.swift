import Foundation

/// The real executable on a fresh store, without Apple and with a node that does not answer.
enum IdleIndexer {
    static func with(_ body: @Sendable (RESTClient) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-idle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Port 9 is discard, which nothing serves on loopback.
        let indexer = try await IndexerProcess(environment: [
            "NETWORK_TYPE": "mainnet", "NODE_URLS": "http://127.0.0.1:9", "HTTP_PORT": "0",
            "STORE_PATH": folder.appendingPathComponent("store").path,
        ])
        try await body(indexer.rest)
        await indexer.end(SIGTERM)
    }
}
