import Kaspa
package import KaspaNode
package import KaspadReplay
package import Recordings
package import Logging

/// Runs a replay node on a free port for as long as the closure takes.
@discardableResult
package func withReplay<Result: Sendable>(
    _ recording: Recording,
    configure: (inout ReplayConfiguration) -> Void = { _ in },
    _ body: (ReplayNode, _ url: String) async throws -> Result
) async throws -> Result {
    var configuration = ReplayConfiguration()
    configuration.pace = .stepped
    configure(&configuration)
    let node = try ReplayNode(recording: recording, configuration: configuration, logger: quiet)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await node.run() }
        defer { group.cancelAll() }
        return try await body(node, "http://127.0.0.1:\(try await node.boundPort)")
    }
}

/// Follows a node over the wire for as long as the closure takes; the events come in order.
@discardableResult
package func withLink<Result: Sendable>(
    to url: String, _ body: (NodeLink, AsyncStream<NodeEvent>) async throws -> Result
) async throws -> Result {
    let (events, sink) = AsyncStream.makeStream(of: NodeEvent.self)
    var configuration = NodeConfiguration(urls: [url], network: .mainnet)
    configuration.reconnect.initial = .milliseconds(10)
    let link = NodeLink(configuration: configuration, logger: quiet) { sink.yield($0) }
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await link.run() }
        defer { group.cancelAll() }
        return try await body(link, events)
    }
}

package let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
