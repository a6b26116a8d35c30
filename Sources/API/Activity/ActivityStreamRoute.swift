import HTTPTypes
import Hummingbird
import Kaspa
import Store

/// The live stream of what an address sends and receives.
struct ActivityStreamRoute: Sendable {
    let store: Store
    let network: Network
    let publisher: ActivityPublisher
    let streams: EventStreams
    let answer: ActivityAnswer
    let reads: Reads
    let replays: ClientTurns
    let longestReplay: Int

    func add(to router: Router<APIRequestContext>) {
        router.get("v1/activity/stream") { request, context in
            let query = MessageQuery(request, network: network)
            let start = request.headers[.lastEventID] ?? query.optionalText("last_event_id")
            let client = reads.client(request, context)
            let stream = ActivityStream(
                publisher: publisher, store: store, address: try query.address("address"),
                includesTransfers: try query.includesTransfers(), start: try start.map(ActivityStream.position),
                answer: answer, client: client, reads: reads, replays: replays, longestReplay: longestReplay)
            if stream.start != nil { try reads.admit(client) }
            return try streams.response(stream, to: request, on: context)
        }
    }
}
