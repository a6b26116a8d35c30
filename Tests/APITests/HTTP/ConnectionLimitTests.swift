import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NIOPosix
import Store
import Testing

@testable import API

@Suite("Limits of a connection")
struct ConnectionLimitTests {
    private func get(_ target: String, headers: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\(headers)\r\n"
    }

    @Test("a target of 8192 bytes is taken, one more is 414", .timeLimit(.minutes(10)), arguments: [8191, 8192, 8193])
    func target(bytes: Int) async throws {
        try await TestService().run(.live) { client in
            let target = "/health?" + String(repeating: "a", count: bytes - 8)
            let answer = try await RawConnection.exchange(get(target), port: try #require(client.port))
            #expect(answer.hasPrefix(bytes <= 8192 ? "HTTP/1.1 200 " : "HTTP/1.1 414 "), "\(answer.prefix(100))")
            let error = #"{"error":"the request's target is longer than 8192 bytes","code":"too_large"}"#
            if bytes > 8192 { #expect(answer.contains(error)) }
        }
    }

    @Test("headers of 8192 bytes are taken, one more is 431", .timeLimit(.minutes(10)), arguments: [8191, 8192, 8193])
    func headers(bytes: Int) async throws {
        try await TestService().run(.live) { client in
            // "connection: close" counts 15, "x:" 1; the host is no header any more.
            let header = "x: \(String(repeating: "a", count: bytes - 16))\r\n"
            let answer = try await RawConnection.exchange(
                get("/health", headers: header), port: try #require(client.port))
            #expect(answer.hasPrefix(bytes <= 8192 ? "HTTP/1.1 200 " : "HTTP/1.1 431 "), "\(answer.prefix(100))")
        }
    }

    @Test(
        "headers or targets that the parser gives up on are 431 in JSON", .timeLimit(.minutes(10)),
        arguments: ["headers", "count", "target"])
    func parser(what: String) async throws {
        try await TestService().run(.live) { client in
            let request =
                switch what {
                case "headers": get("/health", headers: "x: \(String(repeating: "a", count: 70_000))\r\n")
                case "count": get("/health", headers: (0..<200).map { "x\($0): a\r\n" }.joined())
                default: get("/" + String(repeating: "a", count: 70_000))
                }
            let answer = try await RawConnection.exchange(request, port: try #require(client.port)) { $0.contains("}") }
            #expect(answer.hasPrefix("HTTP/1.1 431 "), "\(answer.prefix(100))")
            #expect(answer.contains(#"{"error":"the request line or the headers are too large","code":"too_large"}"#))
            #expect(try await client.execute(uri: "/health", method: .get).status == .ok)
        }
    }

    @Test("a body that does not come is 408, and the connection is closed", .timeLimit(.minutes(10)))
    func slowBody() async throws {
        let service = try TestService(bodyTimeout: .milliseconds(200))
        try await service.run(.live) { client in
            let answer = try await RawConnection.exchange(
                "POST /v1/push/register HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
                port: try #require(client.port))
            #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(answer)")
            #expect(answer.contains(#"{"error":"the body takes too long","code":"too_slow"}"#))
            expectDone(try await client.register())
        }
        #expect(try await service.store.totals().devices == 1)
    }

    @Test("a client that asks much and reads nothing is cut off", .timeLimit(.minutes(10)))
    func deafClient() async throws {
        let service = try TestService(streamWriteTimeout: .milliseconds(300))
        try await service.run(.live) { client in
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelOption(.autoRead, value: false)
                .connectTimeout(RawConnection.connectTimeout)
                .connect(host: "localhost", port: try #require(client.port)).get()
            let request = "GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n"
            let requests = ByteBuffer(string: String(repeating: request, count: 1_000))
            // Its questions fill all buffers as the answers do, and end when the server closes.
            await #expect(throws: (any Error).self) {
                while true { try await channel.writeAndFlush(requests) }
            }
            try? await channel.close()
            #expect(try await client.execute(uri: "/health", method: .get).status == .ok)
        }
    }

    /// Answered at once, and then open for as long as the client wants it.
    private func stream() throws -> String {
        "GET /v1/activity/stream?address=\(try addresses(1)[0]) HTTP/1.1\r\nhost: localhost\r\n\r\n"
    }

    @Test("so many connections are served at once; the next waits for a busy one to end", .timeLimit(.minutes(10)))
    func connections() async throws {
        let limit = 3
        let service = try TestService(
            idleTimeout: .seconds(3600), maximumConnections: limit, heartbeat: .milliseconds(100))
        try await service.run(.live) { client in
            let port = try #require(client.port)
            // The client connects when it likes, and counts too: once it has its answer, it is idle and gives way.
            #expect(try await client.execute(uri: "/health", method: .get).status == .ok)
            let answer = try await withThrowingTaskGroup(of: String.self) { group in
                // A connection that cannot be opened fails the test: nothing waits for news of it.
                try await RawConnection.holdAll(limit, try stream(), port: port) {
                    #expect(service.admission.counts == (admitted: limit, waiting: 0))
                    group.addTask { try await RawConnection.exchange(get("/health"), port: port) }
                    try await eventually("the next one waits") {
                        service.admission.counts == (admitted: limit, waiting: 1)
                    }
                }
                return try await group.next()
            }
            #expect(answer?.hasPrefix("HTTP/1.1 200 ") == true, "\(answer ?? "")")
            try await eventually("all have closed") { service.admission.counts == (admitted: 0, waiting: 0) }
        }
    }

    @Test("idle connections are closed for those that come", .timeLimit(.minutes(10)), arguments: [false, true])
    func idle(hasAsked: Bool) async throws {
        let limit = 4
        // One more for the client, which connects when it likes: nothing is closed before all have asked.
        let service = try TestService(
            headTimeout: .seconds(3600), idleTimeout: .seconds(3600), maximumConnections: limit + 1)
        try await service.run(.live) { client in
            let port = try #require(client.port)
            // Idle before the first request, or after it.
            let channels = try await withThrowingTaskGroup(of: (any Channel).self) { group in
                for _ in 0..<limit {
                    group.addTask {
                        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                            .connectTimeout(RawConnection.connectTimeout)
                            .connect(host: "localhost", port: port).get()
                        if hasAsked {
                            try await channel.writeAndFlush(
                                ByteBuffer(string: "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"))
                        }
                        return channel
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for _ in 0..<3 * limit {
                let answer = try await RawConnection.exchange(get("/health"), port: port)
                #expect(answer.hasPrefix("HTTP/1.1 200 "))
            }
            for channel in channels { try? await channel.close() }
        }
    }

    @Test("headers that do not come in time end the connection", .timeLimit(.minutes(10)))
    func slowHeaders() async throws {
        let service = try TestService(headTimeout: .seconds(2), idleTimeout: .seconds(3600))
        try await service.run(.live) { client in
            let port = try #require(client.port)
            #expect(try await RawConnection.exchange("", port: port) == "")
            #expect(try await RawConnection.exchange("GET /health HTTP/1.1\r\nhost: loc", port: port) == "")
            // The second request of a connection, too.
            let request = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"
            var asked = 0
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(RawConnection.connectTimeout)
                .connect(host: "localhost", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
            try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: request))
                var text = ""
                for try await buffer in inbound {
                    text += String(buffer: buffer)
                    guard text.hasSuffix("}"), asked == 0 else { continue }
                    asked += 1
                    try await outbound.write(ByteBuffer(string: "GET /hea"))
                }
                #expect(text.components(separatedBy: "HTTP/1.1 200").count == 2)
            }
            #expect(asked == 1)
        }
    }
}
