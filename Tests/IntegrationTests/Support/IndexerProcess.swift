/// The real executable in a process of its own, up and listening.
final class IndexerProcess: Sendable {
    let process: LaunchedIndexer
    let rest: RESTClient

    /// Starts `kasia-push-indexer serve` with these environment variables, and waits until its REST port is open.
    init(environment: [String: String]) async throws {
        process = try LaunchedIndexer(environment: environment)
        rest = try await process.listening()
    }

    /// Sends a signal that does not end the process.
    func send(_ signal: Int32) {
        process.signal(signal)
    }

    /// Ends the process with a signal and waits for it.
    @discardableResult
    func end(_ signal: Int32) async -> Int32 {
        await process.end(signal)
    }
}
