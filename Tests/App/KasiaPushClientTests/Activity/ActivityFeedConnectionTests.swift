import Foundation
import KasiaPushClient
import Testing

/// A feed over the default transport and a server of raw sockets.
@Suite(.timeLimit(.minutes(5))) struct ActivityFeedConnectionTests {
    @Test("Half a stream and a cut lose nothing")
    func halfAStream() async throws {
        let server = try LocalServer { request, connection in
            let stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            func event(_ number: Int) -> String {
                "id: \(number)-00000000\nevent: activity\ndata: \(ActivityFeedConnectionTests.json(number))\n\n"
            }
            func chunk(_ text: String) -> String { "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n" }
            switch (request.line.hasPrefix("GET /v1/activity/stream?"), request.headers["last-event-id"]) {
            case (true, nil):
                connection.send(
                    stream + chunk("id: 1-00000000\n\n") + chunk(event(2)) + chunk(String(event(3).dropLast())))
            case (true, "2-00000000"):
                connection.send(stream + chunk(event(3)))
                connection.waitForClose()
            case (true, _): connection.send("HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n")
            default:
                let page = #"{"items":[\#(ActivityFeedConnectionTests.json(1))],"has_more":false,"next_cursor":null}"#
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)")
            }
        }
        defer { server.stop() }
        let client = try #require(IndexerClient(baseURL: server.url))
        let feed = ActivityFeed(client: client, address: "kaspa:q", sleep: { _ in })
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await feed.run() }
            for await snapshot in await feed.snapshots() {
                guard snapshot.items.count == 3, snapshot.connection == .live else { continue }
                #expect(snapshot.items.map(\.amount) == [3, 2, 1])
                break
            }
            group.cancelAll()
        }
        #expect(server.requests.map { $0.headers["last-event-id"] } == [nil, nil, "2-00000000"])
    }

    private static func json(_ number: Int) -> String {
        // An item has no values that JSON has not.
        (try? JSONEncoder().encode(ActivityItem.numbered(number))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
