import Kaspa
import KaspaNode
import Logging
import ReplaySupport

/// Runs a client for as long as the closure takes, with short delays.
///
/// A recording that has been played tells of no further block: the node is not left for that, however long the machine
/// takes for a test.
@discardableResult
func withClient<Result: Sendable>(
    _ urls: [String],
    reading: WireReading = .ours(watching: NothingWatched()),
    configure: (inout NodeConfiguration) -> Void = { _ in },
    logger: Logger = quiet,
    _ body: (NodeClient) async throws -> Result
) async throws -> Result {
    var configuration = NodeConfiguration(urls: urls, network: .mainnet)
    configuration.reconnect = .init(initial: .milliseconds(5), maximum: .milliseconds(40))
    configuration.stallTimeout = .seconds(3_600)
    // A busy machine is no reason to leave a node.
    configuration.connectTimeout = .seconds(300)
    configure(&configuration)
    let client = NodeClient(configuration: configuration, reading: reading, logger: logger)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await client.run() }
        defer { group.cancelAll() }
        return try await body(client)
    }
}

extension NodeClient {
    /// Returns when a hint of this kind has come.
    func wait(for hint: NodeHint) async {
        _ = await hints.first { $0 == hint }
    }
}
