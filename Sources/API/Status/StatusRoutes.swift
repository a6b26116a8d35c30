import Hummingbird

/// `/status.json` and `/status/stream`: what the page at `/` shows.
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
