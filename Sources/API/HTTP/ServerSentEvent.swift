/// One server-sent event in the format of the HTML standard.
struct ServerSentEvent: Equatable, Sendable {
    /// The `Last-Event-ID` of a client that reconnects; nil leaves the previous one.
    var id: String?
    /// The name of the event; nil for the default, `message`.
    var name: String?
    /// The data; nil to set only `id`, which the page does not see as an event.
    var data: String?

    init(id: String? = nil, name: String? = nil, data: String? = nil) {
        self.id = id
        self.name = name
        self.data = data
    }

    /// The lines of the event and the empty one that ends it.
    ///
    /// No text can add a line of its own.
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
    /// Lines as the standard defines them: they end with a line feed, a carriage return, or both.
    fileprivate var lines: [Substring] {
        // A search for bytes is much faster than one for characters, and most texts are JSON.
        guard utf8.contains(where: { $0 == 10 || $0 == 13 }) else { return [self[...]] }
        return split(omittingEmptySubsequences: false) { ["\n", "\r", "\r\n"].contains($0) }
    }

    fileprivate var onOneLine: String {
        guard utf8.contains(where: { [0, 10, 13].contains($0) }) else { return self }
        return filter { !$0.isNewline && $0 != "\0" }
    }
}
