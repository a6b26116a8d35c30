import Hummingbird

/// `/status.json` and `/status/stream`: the data of the page at `/`.
struct StatusRoutes: Sendable {
    let board: StatusBoard
    let streams: EventStreams

    func add(to router: Router<APIRequestContext>) {
        router.get("status.json") { _, _ in
            JSONAnswer.response(.ok, await board.statusWithHistory(), headers: [.cacheControl: "no-store"])
        }
        router.get("status/stream") { request, context in
            try streams.response(StatusEvents(board: board), to: request, on: context)
        }
    }
}

/// The stream of `/status/stream`: `history` once, then `status` each second, and a `sample` whenever there is a new
/// one.
struct StatusEvents: AsyncSequence, Sendable {
    /// The time between two `status` events.
    static let interval = Duration.seconds(1)

    let board: StatusBoard
    var pause: @Sendable () async throws -> Void = { try await Task.sleep(for: StatusEvents.interval) }

    func makeAsyncIterator() -> Iterator { Iterator(board: board, pause: pause) }

    struct Iterator: AsyncIteratorProtocol {
        let board: StatusBoard
        let pause: @Sendable () async throws -> Void
        private var hasBegun = false
        /// The time of the last sample sent.
        private var lastSample: UInt64 = 0

        init(board: StatusBoard, pause: @escaping @Sendable () async throws -> Void) {
            self.board = board
            self.pause = pause
        }

        /// The events of the next write.
        mutating func next() async throws -> [ServerSentEvent]? {
            let samples = board.samples
            guard hasBegun else {
                hasBegun = true
                lastSample = samples.last?.time ?? 0
                let history = ServerSentEvent(name: "history", data: StatusHistory.answer(samples).text)
                return [history, await status()]
            }
            try await pause()
            let fresh = board.samples.filter { $0.time > lastSample }
            lastSample = fresh.last?.time ?? lastSample
            return [await status()] + fresh.map { ServerSentEvent(name: "sample", data: $0.answer.text) }
        }

        private func status() async -> ServerSentEvent {
            ServerSentEvent(name: "status", data: await board.status().text)
        }
    }
}
