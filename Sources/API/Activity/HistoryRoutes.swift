import Hummingbird
import Logging
import Store

/// The calls that read the history, the live stream among them: of a process that works, and of one that stands by.
struct HistoryRoutes {
    let store: Store
    let configuration: APIConfiguration
    let reads: Reads
    let logger: Logger

    /// Adds them; the publisher feeds the streams.
    func add(to router: Router<APIRequestContext>) -> ActivityPublisher {
        let network = configuration.network
        let answer = ActivityAnswer(explorerURL: configuration.explorerURL)
        let publisher = ActivityPublisher(store: store, answer: answer, logger: logger)
        let streams = EventStreams(
            slots: .init(maximum: configuration.maximumStreams),
            proxies: TrustedProxies(configuration.trustedProxies), heartbeat: configuration.heartbeat,
            writeTimeout: configuration.streamWriteTimeout)
        MessageRoutes(store: store, network: network, reads: reads).add(to: router)
        ActivityRoutes(store: store, network: network, answer: answer, reads: reads).add(to: router)
        ActivityStreamRoute(
            store: store, network: network, publisher: publisher, streams: streams, answer: answer, reads: reads,
            replays: ClientTurns(atOnce: ActivityStream.replaysAtOnce), longestReplay: configuration.longestReplay
        ).add(to: router)
        return publisher
    }
}
