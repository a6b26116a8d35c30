import NIOCore
import NIOPosix
import Testing

@testable import API

/// A client of a stream of server-sent events, on a connection of its own.
struct EventReader {
    /// What came of the answer so far: its head as text, its body taken out of the chunks, the events in it.
    struct Answer {
        private(set) var head = ""
        private(set) var events: [ServerSentEvent] = []
        private(set) var comments = 0
        private var bytes: [UInt8] = []
        private var text = ""

        fileprivate init() {}

        var status: Int { Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0 }
        /// The last id that came, with an event or by itself.
        var lastID: String? { events.last { $0.id != nil }?.id }

        fileprivate mutating func add(_ new: some Sequence<UInt8>) {
            bytes += new
            if head.isEmpty {
                guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
                head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                bytes.removeSubrange(..<end.upperBound)
            }
            while let line = bytes.firstRange(of: Array("\r\n".utf8)),
                let size = Int(String(decoding: bytes[..<line.lowerBound], as: UTF8.self), radix: 16),
                bytes.count >= line.upperBound + size + 2
            {
                text += String(decoding: bytes[line.upperBound..<line.upperBound + size], as: UTF8.self)
                bytes.removeSubrange(..<(line.upperBound + size + 2))
            }
            while let end = text.firstRange(of: "\n\n") {
                take(text[..<end.lowerBound])
                text.removeSubrange(..<end.upperBound)
            }
        }

        private mutating func take(_ block: Substring) {
            var event = ServerSentEvent()
            for line in block.split(separator: "\n") {
                if line.hasPrefix(":") { comments += 1 }
                if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
                if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") { event.data = (event.data ?? "") + line.dropFirst(6) }
            }
            if event != ServerSentEvent() { events.append(event) }
        }
    }

    /// Asks for a stream, and hands `body` the answer each time that more of it came, until it returns false.
    ///
    /// Returns what there was; also when the server ended the stream.
    @discardableResult
    static func read(
        _ path: String, port: Int, lastID: String? = nil, while body: (Answer) async throws -> Bool
    ) async throws -> Answer {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(60))
            .connect(host: "localhost", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            let resume = lastID.map { "last-event-id: \($0)\r\n" } ?? ""
            try await outbound.write(
                ByteBuffer(string: "GET \(path) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\(resume)\r\n"))
            var answer = Answer()
            for try await buffer in inbound {
                answer.add(buffer.readableBytesView)
                guard !answer.head.isEmpty else { continue }
                guard try await body(answer) else { break }
            }
            return answer
        }
    }
}

/// Looks every few milliseconds until `condition` holds; the test fails when it has not after five minutes.
func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while ContinuousClock.now < end {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("never came true: \(what)")
}
