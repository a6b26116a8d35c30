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
        "GET \(target) HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\(headers)\r\n"
    }

    @Test("a target of 4096 bytes is taken, one more is 414", .timeLimit(.minutes(10)), arguments: [4095, 4096, 4097])
    func target(bytes: Int) async throws {
        try await TestService().run(.live) { client in
            let target = "/health?" + String(repeating: "a", count: bytes - 8)
            let answer = try await RawConnection.exchange(get(target), port: try #require(client.port))
            #expect(answer.hasPrefix(bytes <= 4096 ? "HTTP/1.1 200 " : "HTTP/1.1 414 "), "\(answer.prefix(100))")
            if bytes > 4096 { #expect(answer.contains(#"{"error":"the request's target is longer than 4096 bytes"}"#)) }
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
            #expect(answer.contains(#"{"error":"the request line or the headers are too large"}"#))
            #expect(try await client.execute(uri: "/health", method: .get).status == .ok)
        }
    }

    @Test("a body that does not come is 408, and the connection is closed", .timeLimit(.minutes(10)))
    func slowBody() async throws {
        let service = try TestService(bodyTimeout: .milliseconds(200))
        try await service.run(.live) { client in
            let answer = try await RawConnection.exchange(
                "POST /v1/push/register HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{",
                port: try #require(client.port))
            #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(answer)")
            #expect(answer.contains(#"{"error":"the body takes too long"}"#))
            expectDone(try await client.register())
        }
        #expect(try service.store.totals().devices == 1)
    }

    @Test("a client that asks much and reads nothing is cut off", .timeLimit(.minutes(10)))
    func deafClient() async throws {
        let service = try TestService(streamPatience: .milliseconds(300))
        try await service.run(.live) { client in
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelOption(.autoRead, value: false)
                .connect(host: "localhost", port: try #require(client.port)).get()
            let request = "GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n"
            let requests = ByteBuffer(string: String(repeating: request, count: 1_000))
            // Its questions fill all buffers as the answers do, and end when the server closes.
            await #expect(throws: (any Error).self) {
                while true { try await channel.writeAndFlush(requests) }
            }
            try? await channel.close()
            #expect(try await client.execute(uri: "/health", method: .get).status == .ok)
        }
    }

    @Test("so many connections are served at once; the next waits for one to end", .timeLimit(.minutes(10)))
    func connections() async throws {
        let limit = 3
        let service = try TestService(idleTimeout: .seconds(3600), maximumConnections: limit)
        try await service.run(.live) { client in
            let port = try #require(client.port)
            // The test's own client holds one of them from here to the end.
            #expect(try await client.execute(uri: "/health", method: .get).status == .ok)
            let (opened, open) = AsyncStream.makeStream(of: Void.self)
            let (released, release) = AsyncStream.makeStream(of: Void.self)
            let answered = TestService.Box(0)
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1..<limit {
                    group.addTask {
                        try await RawConnection.hold("GET /health HTTP/1.1\r\nhost: x\r\n\r\n", port: port) {
                            open.yield()
                            for await _ in released {}
                        }
                    }
                }
                var held = opened.makeAsyncIterator()
                for _ in 1..<limit { _ = await held.next() }
                #expect(service.admission.counts == (admitted: limit, waiting: 0))
                group.addTask {
                    defer { answered.value += 1 }
                    return try await RawConnection.exchange(get("/health"), port: port)
                }
                while service.admission.counts.waiting == 0 { try await Task.sleep(for: .milliseconds(5)) }
                #expect(service.admission.counts == (admitted: limit, waiting: 1))
                #expect(answered.value == 0)
                release.finish()
                for try await answer in group { #expect(answer.hasPrefix("HTTP/1.1 200 ")) }
            }
            while service.admission.counts.admitted > 1 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(service.admission.counts.waiting == 0)
        }
    }
}
