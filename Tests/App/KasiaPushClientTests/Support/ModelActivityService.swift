import Foundation
import KasiaPushClient

/// The service's activity of one address, in memory: pages, a log of changes, streams that go on from it; and how all
/// of them fail.
actor ModelActivityService: Transport {
    /// What the service has, by transaction.
    private(set) var items: [String: ActivityItem] = [:] {
        didSet { sorted = nil }
    }
    /// All items, newest first, as long as none changes.
    private var sorted: [ActivityItem]?
    /// The transactions that changed, in order; the first has the number 1.
    private var log: [String] = []
    /// Changes up to this number are forgotten.
    private var forgotten = 0
    private var streams: [PieceQueue] = []

    /// No request arrives.
    private(set) var isOffline = false
    /// What streams, or pages, are refused with.
    private(set) var streamRefusal: TransportAnswer?
    private(set) var pageRefusal: TransportAnswer?
    /// The most items that a page looks at before it ends early.
    private(set) var lookedAt = Int.max
    /// Requests, by their method, path and what they go on from.
    private(set) var requests: [String] = []
    private var arrivals: [CheckedContinuation<Void, Never>] = []
    /// Whether answers that are ready are held back.
    private var isHolding = false
    private var held: [CheckedContinuation<Void, Never>] = []

    // MARK: What a test does

    /// Adds or changes an item, and tells the streams.
    func put(_ item: ActivityItem) {
        items[item.id] = item
        tell(item.id)
    }

    func remove(_ id: String) {
        items[id] = nil
        tell(id)
    }

    /// Ends all streams, with an error or as a service that stops does.
    func endStreams(_ error: TransportError? = nil) {
        for stream in streams { stream.end(error) }
        streams = []
    }

    /// Sends the comment that a service sends every 15 seconds.
    func beat() {
        for stream in streams { stream.send(":\n\n") }
    }

    /// Sends any text to all streams.
    func send(_ text: String) {
        for stream in streams { stream.send(text) }
    }

    /// Forgets the log, so that no stream can go on from it.
    func forgetLog() {
        forgotten = log.count
    }

    func setOffline(_ isOffline: Bool) {
        self.isOffline = isOffline
        if isOffline { endStreams(.unreachable("The network is gone.")) }
    }

    func refuse(streams: TransportAnswer?, pages: TransportAnswer? = nil) {
        (streamRefusal, pageRefusal) = (streams, pages)
    }

    func setLookedAt(_ count: Int) {
        lookedAt = count
    }

    /// Holds back the answers to what is asked from now on, or no more of them.
    func hold(_ isHolding: Bool = true) {
        self.isHolding = isHolding
    }

    /// Sends the answers that were held back, and holds back no more.
    func release() {
        isHolding = false
        for answer in held { answer.resume() }
        held = []
    }

    /// Waits until so many requests came.
    func waitForRequests(_ count: Int) async {
        while requests.count < count {
            await withCheckedContinuation { arrivals.append($0) }
        }
    }

    func forgetRequests() {
        requests = []
    }

    /// What a filter admits, newest first.
    func list(_ filter: ActivityFilter = ActivityFilter()) -> [ActivityItem] {
        let all = sorted ?? items.values.sorted { ($1.blockTime, $1.id) < ($0.blockTime, $0.id) }
        sorted = all
        return all.filter { ModelActivityService.admits($0, filter) }
    }

    // MARK: What a client asks

    func answer(to request: TransportRequest) async throws(TransportError) -> TransportAnswer {
        let query = ModelActivityService.query(of: request.url)
        if request.method == "POST" {
            arrived("refresh")
        } else {
            arrived("page \(query["cursor"] ?? "newest")")
        }
        guard !isOffline else { throw .unreachable("The network is gone.") }
        if let pageRefusal { return pageRefusal }
        let answer = request.method == "POST" ? refresh(request.body ?? Data()) : page(query)
        if isHolding { await withCheckedContinuation { held.append($0) } }
        if Task.isCancelled { throw .cancelled }
        return answer
    }

    func stream(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
        let last = request.headers["Last-Event-ID"]
        arrived("stream \(last ?? "new")")
        guard !isOffline else { throw .unreachable("The network is gone.") }
        let pieces = PieceQueue()
        if let streamRefusal {
            pieces.send(String(decoding: streamRefusal.body, as: UTF8.self))
            pieces.end()
            return TransportStream(status: streamRefusal.status, headers: streamRefusal.headers) {
                () async throws(TransportError) -> Data? in try await pieces.next()
            }
        }
        streams.append(pieces)
        if let number = last.flatMap({ Int($0.prefix { $0 != "-" }) }) {
            if number < forgotten {
                pieces.send(event(log.count, "reset", "{}"))
            } else {
                for number in number..<log.count { pieces.send(event(of: number + 1)) }
            }
        } else {
            pieces.send("id: \(log.count)-00000000\n\n")
        }
        let headers = TransportHeaders(["Content-Type": "text/event-stream"])
        return TransportStream(status: 200, headers: headers) { () async throws(TransportError) -> Data? in
            try await pieces.next()
        }
    }

    // MARK: How it does that

    private func arrived(_ request: String) {
        requests.append(request)
        for arrival in arrivals { arrival.resume() }
        arrivals = []
    }

    private func tell(_ id: String) {
        log.append(id)
        for stream in streams { stream.send(event(of: log.count)) }
    }

    private func event(of number: Int) -> String {
        let id = log[number - 1]
        guard let item = items[id] else { return event(number, "removed", #"{"id":"\#(id)"}"#) }
        return event(number, "activity", ModelActivityService.json(item))
    }

    private func event(_ number: Int, _ name: String, _ data: String) -> String {
        "id: \(number)-00000000\nevent: \(name)\ndata: \(data)\n\n"
    }

    private func page(_ query: [String: String]) -> TransportAnswer {
        let limit = Int(query["limit"] ?? "") ?? 50
        var types = Set((query["types"] ?? "").split(separator: ",").map { ActivityType(rawValue: String($0)) })
        let includesTransfers = query["include"] == "transfers" || types.contains(.transfer)
        if types.isEmpty { types = includesTransfers ? [] : [.payment, .handshake] }
        let statuses = Set((query["status"] ?? "").split(separator: ",").map { ActivityStatus(rawValue: String($0)) })
        var rest = list(ActivityFilter(includesTransfers: true))[...]
        if let cursor = query["cursor"] {
            rest = rest.drop { ModelActivityService.cursor($0) >= cursor }
        }
        var items: [ActivityItem] = []
        for (number, item) in rest.enumerated() {
            let isWanted =
                (types.isEmpty || types.contains(item.type)) && (statuses.isEmpty || statuses.contains(item.status))
            if isWanted { items.append(item) }
            let isFull = items.count == limit || number + 1 == lookedAt
            if isFull, number + 1 < rest.count {
                let next = #""has_more":true,"next_cursor":"\#(ModelActivityService.cursor(item))""#
                return answer(#"{"items":\#(ModelActivityService.json(items)),\#(next)}"#)
            }
        }
        return answer(#"{"items":\#(ModelActivityService.json(items)),"has_more":false,"next_cursor":null}"#)
    }

    private func refresh(_ body: Data) -> TransportAnswer {
        struct Body: Decodable {
            let ids: [String]
        }
        struct Status: Encodable {
            let id: String
            let status: ActivityStatus
            let block_time: UInt64?
        }
        let ids = (try? JSONDecoder().decode(Body.self, from: body).ids) ?? []
        let states = ids.map { id in
            Status(id: id, status: items[id]?.status ?? .unknown, block_time: items[id]?.blockTime)
        }
        return answer(#"{"items":\#(ModelActivityService.json(states))}"#)
    }

    private func answer(_ body: String) -> TransportAnswer { TransportAnswer(status: 200, body: Data(body.utf8)) }

    private static func admits(_ item: ActivityItem, _ filter: ActivityFilter) -> Bool {
        (filter.includesTransfers || item.type != .transfer)
            && (filter.statuses.isEmpty || filter.statuses.contains(item.status))
    }

    private static func cursor(_ item: ActivityItem) -> String {
        let time = String(item.blockTime, radix: 16)
        return String(repeating: "0", count: 16 - time.count) + time + item.id
    }

    private static func json(_ value: some Encodable) -> String {
        // Models have no values that JSON has not.
        (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    private static func query(of url: URL) -> [String: String] {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }
}

extension ActivityItem {
    /// An item whose id is made of a number.
    static func numbered(
        _ number: Int, at blockTime: UInt64? = nil, _ status: ActivityStatus = .confirmed,
        type: ActivityType = .payment
    ) -> ActivityItem {
        let digits = String(number, radix: 16)
        return ActivityItem(
            id: String(repeating: "0", count: 64 - digits.count) + digits, type: type, direction: .incoming,
            counterparty: nil, amount: UInt64(number), status: status,
            blockTime: blockTime ?? 1_000_000 + UInt64(number) * 1_000)
    }
}
