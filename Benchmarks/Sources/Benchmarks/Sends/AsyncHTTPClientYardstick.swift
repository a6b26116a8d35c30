import APNs
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The same notifications by the Swift servers' usual HTTP client, over one HTTP/2 connection.
final class AsyncHTTPClientYardstick: Sendable {
    private let client: HTTPClient
    private let group: MultiThreadedEventLoopGroup
    private let endpoint: String
    private let headers: HTTPHeaders

    init(server: SandboxProcess) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(server.certificateAuthority)
        // It opens a connection for each event loop.
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        client = HTTPClient(
            eventLoopGroupProvider: .shared(group), configuration: HTTPClient.Configuration(tlsConfiguration: tls))
        endpoint = server.endpoint
        headers = [
            "authorization": "bearer \(try await server.bearer())", "apns-topic": server.topic,
            "apns-push-type": "alert", "apns-priority": "10", "apns-expiration": "4000000000",
            "content-type": "application/json",
        ]
    }

    /// Sends all, `concurrency` at a time; returns the seconds it took.
    ///
    /// - Throws: ``BenchmarkError`` when one is not accepted.
    func send(_ requests: [APNsRequest], concurrency: Int) async throws -> Double {
        try await Measure.seconds { try await sendAll(requests, concurrency) }
    }

    private func sendAll(_ requests: [APNsRequest], _ concurrency: Int) async throws {
        let counter = Notifications.Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<concurrency {
                group.addTask {
                    while let index = counter.next(below: requests.count) { try await self.send(requests[index]) }
                }
            }
            try await group.waitForAll()
        }
    }

    func shutdown() async throws {
        try await client.shutdown()
        try await group.shutdownGracefully()
    }

    private func send(_ notification: APNsRequest) async throws {
        var request = HTTPClientRequest(url: "\(endpoint)/3/device/\(notification.deviceToken)")
        request.method = .POST
        request.headers = headers
        request.headers.add(name: "apns-id", value: notification.id)
        request.headers.add(name: "apns-collapse-id", value: notification.collapseID)
        request.body = .bytes(notification.payload)
        let response = try await client.execute(request, timeout: .seconds(60))
        _ = try await response.body.collect(upTo: 4_096)
        guard response.status == .ok, response.version == .http2 else {
            throw BenchmarkError("async-http-client got \(response.status.code) over \(response.version).")
        }
    }
}
