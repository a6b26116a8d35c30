/// One event of a stream of server-sent events, as the HTML standard frames it.
struct ServerSentEvent: Equatable, Sendable {
    /// Where a client that reconnects goes on (`Last-Event-ID`); nil leaves the last one.
    var id: String?
    /// nil: the unnamed event, `message` to a browser.
    var name: String?
    /// nil: nothing is handed to the page, only `id` is remembered.
    var data: String?

    init(id: String? = nil, name: String? = nil, data: String? = nil) {
        self.id = id
        self.name = name
        self.data = data
    }

    /// The lines of the event and the empty one that ends it; none of its texts may forge another line.
    var text: String {
        var text = ""
        if let id { text += "id: \(id.onOneLine)\n" }
        if let name { text += "event: \(name.onOneLine)\n" }
        if let data {
            for line in data.lines { text += "data: \(line)\n" }
        }
        return text + "\n"
    }
}

extension String {
    /// What the standard calls lines: they end with a line feed, a carriage return, or both.
    fileprivate var lines: [Substring] {
        // Looking for bytes takes a small part of the time that looking for characters does; most texts are JSON.
        guard utf8.contains(where: { $0 == 10 || $0 == 13 }) else { return [self[...]] }
        return split(omittingEmptySubsequences: false) { ["\n", "\r", "\r\n"].contains($0) }
    }

    fileprivate var onOneLine: String {
        guard utf8.contains(where: { [0, 10, 13].contains($0) }) else { return self }
        return filter { !$0.isNewline && $0 != "\0" }
    }
}
