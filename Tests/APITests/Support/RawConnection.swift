import NIOCore
import NIOPosix
import Testing

/// A TCP connection on which a test writes HTTP by hand.
struct RawConnection {
    /// So long that a crowded machine is not taken for one that does not answer: a test that waits for its connections
    /// would never hear of one that was given up.
    static let connectTimeout = TimeAmount.minutes(5)

    /// Sends bytes and returns what came back once `isEnough` says so, or the server closed.
    static func exchange(
        _ request: [UInt8], port: Int, until isEnough: (String) -> Bool = { _ in false }
    ) async throws -> String {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(connectTimeout)
            .connect(host: "localhost", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(bytes: request))
            var answer = ""
            for try await buffer in inbound {
                answer += String(buffer: buffer)
                if isEnough(answer) { break }
            }
            return answer
        }
    }

    static func exchange(
        _ request: String, port: Int, until isEnough: (String) -> Bool = { _ in false }
    ) async throws -> String {
        try await exchange(Array(request.utf8), port: port, until: isEnough)
    }

    /// Sends a request, waits for the beginning of its answer, and keeps the connection until `body` returns.
    static func hold(_ request: String, port: Int, _ body: () async throws -> Void) async throws -> String {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(connectTimeout)
            .connect(host: "localhost", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var iterator = inbound.makeAsyncIterator()
            let answer = try await iterator.next().map { String(buffer: $0) } ?? ""
            try await body()
            return answer
        }
    }

    /// Keeps so many connections, each with the beginning of its answer, while `body` runs.
    static func holdAll<Result: Sendable>(
        _ count: Int, _ request: String, port: Int, _ body: () async throws -> Result
    ) async throws -> Result {
        guard count > 0 else { return try await body() }
        var result: Result?
        _ = try await hold(request, port: port) {
            result = try await holdAll(count - 1, request, port: port, body)
        }
        return try #require(result)
    }
}
