import Foundation
import KasiaPushClient
import Testing

/// The default transport against a server of raw sockets.
@Suite(.timeLimit(.minutes(5))) struct URLSessionTransportTests {
    private let transport = URLSessionTransport()

    @Test("A request arrives as it is", arguments: ["GET", "POST", "PUT", "DELETE"])
    func requestAsItIs(_ method: String) async throws {
        let server = try LocalServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Request-ID:  r-1\r\n\r\nok")
        }
        defer { server.stop() }
        var request = try request(to: server, "/a%2Fb?c=d%2B%20e&f=")
        request.method = method
        request.headers = ["Content-Type": "application/json", "Last-Event-ID": "4711-3f2504e0"]
        request.body = method == "GET" ? nil : Data(#"{"a":1}"#.utf8)
        let answer = try await transport.answer(to: request)
        #expect(answer.status == 200)
        #expect(answer.body == Data("ok".utf8))
        #expect(answer.headers["x-request-id"] == "r-1")
        let received = try #require(server.requests.first)
        #expect(received.line == "\(method) /a%2Fb?c=d%2B%20e&f= HTTP/1.1")
        #expect(received.headers["content-type"] == "application/json")
        #expect(received.headers["last-event-id"] == "4711-3f2504e0")
        #expect(received.headers["cookie"] == nil)
        #expect(Data(received.body) == request.body ?? Data())
    }

    @Test("A POST without a body is one")
    func emptyPost() async throws {
        let server = try LocalServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        var request = try request(to: server)
        request.method = "POST"
        #expect(try await transport.answer(to: request).status == 200)
        #expect(server.requests.first?.line == "POST / HTTP/1.1")
        #expect(server.requests.first?.headers["content-length"] ?? "0" == "0")
    }

    @Test(
        "An answer has at most so many bytes, whether it says its length or not", arguments: [999, 1_000, 1_001],
        [true, false])
    func answerLimit(
        _ count: Int, _ saysLength: Bool
    ) async throws {
        let server = try LocalServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n" + (saysLength ? "Content-Length: \(count)\r\n" : "") + "\r\n")
            connection.send([UInt8](repeating: 0x61, count: count))
        }
        defer { server.stop() }
        var request = try request(to: server)
        request.maximumBytes = 1_000
        if count <= 1_000 {
            #expect(try await transport.answer(to: request).body.count == count)
        } else {
            await #expect(throws: TransportError.tooLong(1_000)) { try await transport.answer(to: request) }
        }
    }

    @Test("An answer that is too long is given up at once")
    func tooLongAnswer() async throws {
        let (closed, closer) = AsyncStream.makeStream(of: Void.self)
        let server = try LocalServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            connection.send([UInt8](repeating: 0x61, count: 100_001))
            connection.waitForClose()
            closer.finish()
        }
        defer { server.stop() }
        var request = try request(to: server)
        request.maximumBytes = 100_000
        await #expect(throws: TransportError.tooLong(100_000)) { try await transport.answer(to: request) }
        for await _ in closed {}
    }

    @Test(
        "Half an answer is none",
        arguments: ["Content-Length: 10\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"])
    func halfAnAnswer(_ answer: String) async throws {
        let server = try LocalServer { _, connection in connection.send("HTTP/1.1 200 OK\r\n\(answer)") }
        defer { server.stop() }
        let error = await #expect(throws: TransportError.self) { try await transport.answer(to: request(to: server)) }
        guard case .unreachable = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test("Redirects are not followed", arguments: [301, 302, 303, 307, 308])
    func redirects(_ status: Int) async throws {
        let server = try LocalServer { request, connection in
            let status = request.line.contains("/there") ? 200 : status
            connection.send("HTTP/1.1 \(status) X\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        for method in ["GET", "POST"] {
            var request = try request(to: server)
            request.method = method
            #expect(try await transport.answer(to: request).status == status)
        }
        #expect(server.requests.map(\.line) == ["GET / HTTP/1.1", "POST / HTTP/1.1"])
        let client = try #require(IndexerClient(baseURL: server.url, transport: transport))
        let error = await #expect(throws: IndexerError.self) { try await client.health() }
        #expect(error?.kind == .unexpectedAnswer && error?.status == status)
    }

    @Test("Cookies are not kept")
    func cookies() async throws {
        let server = try LocalServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        for _ in 0..<2 { _ = try await transport.answer(to: request(to: server)) }
        #expect(server.requests.map { $0.headers["cookie"] } == [nil, nil])
    }

    @Test("429 tells how long to wait")
    func tooManyCalls() async throws {
        let body = #"{"error":"too many calls","code":"too_many_requests"}"#
        let server = try LocalServer { _, connection in
            connection.send("HTTP/1.1 429 X\r\nRetry-After: 17\r\nx-request-id: r-9\r\n")
            connection.send("Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        defer { server.stop() }
        let client = try #require(IndexerClient(baseURL: server.url, transport: transport))
        let error = await #expect(throws: IndexerError.self) { try await client.challenge() }
        #expect(
            error
                == IndexerError(
                    .refused, message: "too many calls", status: 429, code: .tooManyRequests,
                    retryAfter: .seconds(17), requestID: "r-9"))
    }

    @Test(
        "An answer that does not come to its end is given up in time",
        arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no"])
    func unfinishedAnswer(_ beginning: String) async throws {
        let server = try LocalServer { _, connection in
            connection.send(beginning)
            connection.waitForClose()
        }
        defer { server.stop() }
        var request = try request(to: server)
        request.timeout = .milliseconds(100)
        await #expect(throws: TransportError.timedOut) { try await transport.answer(to: request) }
    }

    @Test("A stream that falls silent is given up, one that goes on is not")
    func silentStream() async throws {
        let server = try LocalServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            // Longer in all than the silence that is allowed.
            for _ in 0..<7 {
                connection.send("a")
                usleep(100_000)
            }
            connection.waitForClose()
        }
        defer { server.stop() }
        var request = try request(to: server)
        request.silence = .milliseconds(500)
        let stream = try await transport.stream(request)
        #expect(stream.headers["Content-Type"] == "text/event-stream")
        var body = Data()
        while body.count < 7 { body += try #require(try await stream.nextPiece()) }
        await #expect(throws: TransportError.timedOut) { try await stream.nextPiece() }
    }

    @Test("Events come whole when each byte comes by itself")
    func singleBytes() async throws {
        let events = "id: 1-aa\n\n:\n\nid: 2-bb\nevent: removed\ndata: {\"id\":\"ä\"}\n\n"
        let server = try LocalServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
            for byte in events.utf8 { connection.send(Array("1\r\n".utf8) + [byte] + Array("\r\n".utf8)) }
            connection.send("0\r\n\r\n")
        }
        defer { server.stop() }
        let client = try #require(IndexerClient(baseURL: server.url, transport: transport))
        var read: [ActivityEvent] = []
        for try await event in try await client.activityStream(of: "kaspa:q") { read.append(event) }
        #expect(
            read == [
                ActivityEvent(id: "1-aa", change: .position), ActivityEvent(id: nil, change: .heartbeat),
                ActivityEvent(id: "2-bb", change: .removed(id: "ä")),
            ])
    }

    @Test("A stream whose reader is too slow is cut, and what came is read first")
    func slowStreamReader() async throws {
        let (closed, closer) = AsyncStream.makeStream(of: Void.self)
        let server = try LocalServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            for _ in 0..<100 { connection.send([UInt8](repeating: 0x61, count: 1_000)) }
            connection.waitForClose()
            closer.finish()
        }
        defer { server.stop() }
        var request = try request(to: server)
        request.maximumBytes = 50_000
        let stream = try await transport.stream(request)
        // Nobody reads until the transport has closed the connection.
        for await _ in closed {}
        let piece = try #require(try await stream.nextPiece())
        #expect(!piece.isEmpty && piece.count <= 50_000)
        await #expect(throws: TransportError.tooLong(50_000)) { try await stream.nextPiece() }
    }

    @Test("A stream that nobody holds any more is closed")
    func releasedStream() async throws {
        let (closed, closer) = AsyncStream.makeStream(of: Void.self)
        let server = try LocalServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n\r\none")
            connection.waitForClose()
            closer.finish()
        }
        defer { server.stop() }
        do {
            let stream = try await transport.stream(request(to: server))
            #expect(try await stream.nextPiece() == Data("one".utf8))
        }
        for await _ in closed {}
    }

    @Test("A cancelled task ends its request", arguments: [true, false])
    func cancelledTask(_ isStream: Bool) async throws {
        let (steps, stepper) = AsyncStream.makeStream(of: String.self)
        let server = try LocalServer { _, connection in
            stepper.yield("arrived")
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            connection.waitForClose()
            stepper.yield("closed")
        }
        defer { server.stop() }
        let request = try request(to: server)
        await withTaskGroup(of: TransportError?.self) { group in
            group.addTask { [transport] in
                do throws(TransportError) {
                    if isStream {
                        _ = try await transport.stream(request).nextPiece()
                    } else {
                        _ = try await transport.answer(to: request)
                    }
                    return nil
                } catch {
                    return error
                }
            }
            var step = steps.makeAsyncIterator()
            #expect(await step.next() == "arrived")
            group.cancelAll()
            #expect(await group.next() == .cancelled)
            #expect(await step.next() == "closed")
        }
    }

    @Test("A server that does not listen is unreachable")
    func closedPort() async throws {
        let server = try LocalServer(listens: false) { _, _ in }
        defer { server.stop() }
        let error = await #expect(throws: TransportError.self) {
            try await transport.answer(to: request(to: server))
        }
        guard case .unreachable(let sentence) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(!sentence.isEmpty)
    }

    private func request(to server: LocalServer, _ target: String = "/") throws -> TransportRequest {
        let url = try #require(URL(string: server.url.absoluteString + target))
        // Beyond the time limit of these tests: what has no limits of its own must end by itself.
        return TransportRequest(
            method: "GET", url: url, timeout: .seconds(600), silence: .seconds(600), maximumBytes: 1 << 20)
    }
}
