import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A web server on a loopback port that serves the example page, and passes calls under `/v1/` on to an indexer.
///
/// It does what the proxy of the example's README does: page and indexer have one origin, and the indexer gets the
/// browser's own headers. Each connection takes one request.
final class WebPushPageServer: Sendable {
    static let folder = Fixture.folder.deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("deploy/examples/web-push")

    /// Far above what the page sends and reads.
    private static let maximumRequestBytes = 256 * 1024
    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "webmanifest": "application/manifest+json",
    ]

    let origin: String
    private let indexerPort: Int
    private let log = Mutex<[String]>([])

    /// `METHOD TARGET` of each request, in the order in which they came.
    var requests: [String] { log.withLock { $0 } }

    private init(port: Int, indexerPort: Int) {
        origin = "http://127.0.0.1:\(port)"
        self.indexerPort = indexerPort
    }

    /// Runs `body` while the server runs.
    static func with<Result: Sendable>(
        indexer indexerPort: Int, _ body: @Sendable (WebPushPageServer) async throws -> Result
    ) async throws -> Result {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
            }
        let server = WebPushPageServer(port: listener.channel.localAddress?.port ?? 0, indexerPort: indexerPort)
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await server.serve(listener) }
            defer { tasks.cancelAll() }
            return try await body(server)
        }
    }

    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private func serve(_ listener: NIOAsyncChannel<Connection, Never>) async throws {
        try await listener.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { tasks in
                for try await connection in connections {
                    // A browser leaves connections as it likes.
                    tasks.addTask { try? await self.serve(connection) }
                }
            }
        }
    }

    private func serve(_ connection: Connection) async throws {
        try await connection.executeThenClose { inbound, outbound in
            guard let request = try await Self.request(from: inbound) else { return }
            log.withLock { $0.append("\(request.method) \(request.target)") }
            if request.target.hasPrefix("/v1/") {
                try await pass(request, to: outbound)
            } else {
                try await outbound.write(ByteBuffer(bytes: file(at: request.target)))
            }
        }
    }

    // MARK: Requests

    private struct Request {
        let method: String
        let target: String
        /// The lines of the head without the first.
        let fields: [String]
        let body: Data
    }

    /// The connection's request; nil if the browser closed it before, or sent too much.
    private static func request(from inbound: NIOAsyncChannelInboundStream<ByteBuffer>) async throws -> Request? {
        var bytes = Data()
        for try await part in inbound {
            bytes.append(contentsOf: part.readableBytesView)
            guard bytes.count <= maximumRequestBytes else { return nil }
            if let request = request(in: bytes) { return request }
        }
        return nil
    }

    private static func request(in bytes: Data) -> Request? {
        guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        var lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines.removeFirst().split(separator: " ")
        guard words.count == 3 else { return nil }
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces)) }
        let body = bytes[end.upperBound...]
        guard body.count >= length ?? 0 else { return nil }
        return Request(method: String(words[0]), target: String(words[1]), fields: lines, body: body)
    }

    // MARK: Answers

    /// Sends the request to the indexer and its answer back.
    private func pass(_ request: Request, to browser: NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws {
        let indexer = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: indexerPort) { channel in
                channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
            }
        let fields = request.fields.filter { !$0.lowercased().hasPrefix("connection:") } + ["Connection: close"]
        let head = (["\(request.method) \(request.target) HTTP/1.1"] + fields).joined(separator: "\r\n")
        try await indexer.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(bytes: Data("\(head)\r\n\r\n".utf8) + request.body))
            for try await part in inbound { try await browser.write(part) }
        }
    }

    /// The answer with a file of the folder, or 404.
    private func file(at target: String) -> Data {
        let path = target.prefix { $0 != "?" }
        let name = path == "/" ? "index.html" : String(path.dropFirst())
        let url = Self.folder.appendingPathComponent(name)
        let type = Self.types[url.pathExtension]
        guard !name.contains("/"), let type, let content = try? Data(contentsOf: url) else {
            return Data("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        }
        let head = """
            HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(content.count)\r\nCache-Control: no-store\r\n\
            Connection: close\r\n\r\n
            """
        return Data(head.utf8) + content
    }
}
