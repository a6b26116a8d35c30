/// One block of a stream of server-sent events, as the HTML standard reads it.
enum StreamBlock: Hashable, Sendable {
    /// An event, or an id alone, which has no data.
    case event(ServerSentEvent)
    /// A comment: the service's heartbeat.
    case comment
}

/// An event of a stream.
struct ServerSentEvent: Hashable, Sendable {
    /// The id to resume from; nil if the event has none.
    var id: String?
    /// The event's name, `message` by default.
    var name = "message"
    /// The data's lines, joined by line feeds; nil for an id alone.
    var data: String?
}

/// Reads a stream of server-sent events in pieces of any size.
///
/// What an incomplete event at the stream's end had is dropped, its id included, as the standard wants it.
struct EventParser: Sendable {
    /// The longest event or line, in bytes.
    let limit: Int

    private var line: [UInt8] = []
    private var isAfterReturn = false
    private var isFirstLine = true
    private var event = ServerSentEvent()
    private var blockBytes = 0

    /// Makes a parser for a new stream.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes the stream's next bytes, and returns what they complete.
    ///
    /// Errors: `TransportError.tooLong` for an event longer than the limit; the parser is of no use after that.
    mutating func take(_ bytes: some Sequence<UInt8>) throws(TransportError) -> [StreamBlock] {
        var blocks: [StreamBlock] = []
        for byte in bytes {
            defer { isAfterReturn = byte == UInt8(ascii: "\r") }
            switch byte {
            case UInt8(ascii: "\n") where isAfterReturn: break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if let block = endLine() { blocks.append(block) }
            default:
                blockBytes += 1
                guard blockBytes <= limit else { throw .tooLong(limit) }
                line.append(byte)
            }
        }
        return blocks
    }

    private mutating func endLine() -> StreamBlock? {
        if isFirstLine, line.starts(with: EventParser.byteOrderMark) {
            line.removeFirst(EventParser.byteOrderMark.count)
        }
        isFirstLine = false
        defer { line.removeAll(keepingCapacity: true) }
        guard let first = line.first else { return endEvent() }
        guard first != UInt8(ascii: ":") else {
            blockBytes -= line.count
            return .comment
        }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        let text = String(decoding: value, as: UTF8.self)
        switch String(decoding: name, as: UTF8.self) {
        case "id" where !value.contains(0): event.id = text
        case "event": event.name = text.isEmpty ? "message" : text
        case "data" where event.data == nil: event.data = text
        case "data": event.data?.append("\n\(text)")
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> StreamBlock? {
        defer {
            event = ServerSentEvent()
            blockBytes = 0
        }
        return event.id == nil && event.data == nil ? nil : .event(event)
    }

    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
}
