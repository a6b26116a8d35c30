import APNs
import Carriers
import Clocks
import Kaspa
import Logging
import Push
import Store

/// What it took to deliver all that waits.
struct DeliveryTurn {
    /// Streams of one connection.
    static let streams = 100

    var seconds = 0.0
    /// Processor time of this process, and of the carrier's server, in seconds.
    var sender = 0.0
    var server = 0.0
    var threads: ThreadTimes?
    var bodyBytes = 0

    /// Delivers the `count` that wait, by a client and a dispatcher of its own, until all fates are written.
    static func deliver(
        _ count: Int, of store: Store, _ server: SandboxProcess, _ connections: Int
    ) async throws -> DeliveryTurn {
        let client = try server.makeClient(connections: connections, streams: streams)
        var logger = Logger(label: "push")
        logger.logLevel = .error
        let sender = CountingSender(client: client, expected: count)
        let dispatcher = Dispatcher(
            store: store,
            carriers: [APNsCarrier(sender: sender, capacity: APNsCarrier.capacity(streams: connections * streams))],
            configuration: PushConfiguration(network: .mainnet),
            clock: ServiceClock(given: MachineClock.system.wall), logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await client.run() }
            let (own, server0, threads) = (CPUTime.own, server.processorTime, ThreadTimes.Look.now)
            var turn = DeliveryTurn()
            turn.seconds = try await Measure.seconds {
                group.addTask { try await dispatcher.run() }
                try await sender.waitUntilDelivered()
                while try await store.totals().deliveries > 0 { try await Task.sleep(for: .milliseconds(1)) }
            }
            turn.sender = CPUTime.own - own
            turn.server = server.processorTime - server0
            turn.threads = ThreadTimes(from: threads, to: .now)
            turn.bodyBytes = sender.meanBodyBytes
            return turn
        }
    }
}
