import Testing

@testable import KasiaPushClient

@Suite struct EventParserTests {
    private static let stream =
        "\u{feff}id: 1\n\nevent: activity\r\nid: 2\r\ndata: {\"a\":\ndata: \"ä\"}\n\n:\n\n: beat\ndata:no space\r\n\r\n"
        + "data:  two\rretry: 5\rdata\r\rdata: lone\nunknown: x\n\nevent: only\n\nid: \u{0}\ndata: nul\n\nid\n\ndata: cut"
    private static let blocks: [StreamBlock] = [
        .event(ServerSentEvent(id: "1")),
        .event(ServerSentEvent(id: "2", name: "activity", data: "{\"a\":\n\"ä\"}")),
        .comment, .comment,
        .event(ServerSentEvent(data: "no space")),
        .event(ServerSentEvent(data: " two\n")),
        .event(ServerSentEvent(data: "lone")),
        .event(ServerSentEvent(data: "nul")),
        .event(ServerSentEvent(id: "")),
    ]

    @Test("A stream is read as the HTML standard says, wherever it is split")
    func anySplit() throws {
        let bytes = Array(EventParserTests.stream.utf8)
        for size in 1...bytes.count {
            var parser = EventParser(limit: 100)
            var blocks: [StreamBlock] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                blocks += try parser.take(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(blocks == EventParserTests.blocks, "in pieces of \(size)")
        }
        for middle in 0...bytes.count {
            var parser = EventParser(limit: 100)
            let blocks = try parser.take(bytes[..<middle]) + parser.take(bytes[middle...])
            #expect(blocks == EventParserTests.blocks, "split at \(middle)")
        }
    }

    @Test("An event has at most so many bytes", arguments: [(99, true), (100, true), (101, false)])
    func eventLimit(_ length: Int, _ fits: Bool) throws {
        // `id:` and `data:` with what follows, without line ends.
        let text = "id:1\ndata:" + String(repeating: "x", count: length - 9) + "\n\n"
        var parser = EventParser(limit: 100)
        if fits {
            #expect(try parser.take(text.utf8).count == 1)
            // The next event counts anew.
            #expect(try parser.take(text.utf8).count == 1)
        } else {
            #expect(throws: TransportError.tooLong(100)) { try parser.take(text.utf8) }
        }
    }

    @Test("Comments never add up, and a line without an end does")
    func comments() throws {
        var parser = EventParser(limit: 100)
        for _ in 0..<1_000 { #expect(try parser.take(": beat\n".utf8) == [.comment]) }
        #expect(throws: TransportError.tooLong(100)) {
            for _ in 0..<101 { _ = try parser.take(":".utf8) }
        }
    }
}
