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
            for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
                text += "data: \(line)\n"
            }
        }
        return text + "\n"
    }
}

extension String {
    fileprivate var onOneLine: String { filter { !$0.isNewline && $0 != "\0" } }
}
