import Carriers
import Clocks
import Kaspa
import Logging
import Push
import Store
import Synchronization

/// The whole push path once for each carrier: a durable backlog out of the store, encoded, sent, answered and settled.
///
/// The yardstick is Apple's carrier in the same turn.
struct CarriersBenchmark: Benchmark {
    static let name = "carriers"
    private static let streams = 100
    private static let deliveriesPerDevice = 5

    private let scale: Scale
    private var devices: Int { max(1, scale.notifications / Self.deliveriesPerDevice) }

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let standIns = try CarrierStandIns(subscriptions: devices)
        defer { standIns.server.stop() }
        let directory = try TemporaryDirectory()
        var backlogs: [CarrierName: Backlog] = [:]
        for carrier in CarrierName.allCases {
            backlogs[carrier] = try await Backlog(
                store: try Store(path: directory.file(carrier.label), network: .mainnet), deviceCount: devices
            ) { standIns.device(carrier, $0) }
        }
        var figures: [CarrierName: SendFigures] = [:]
        for repetition in 0...scale.repetitions {
            for (carrier, backlog) in backlogs.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                Terminal.progress("  turn \(repetition) of \(scale.repetitions), \(carrier.label)")
                try await backlog.queue(scale.notifications, round: repetition, now: MachineClock.system.wall())
                try await deliver(backlog, standIns, carrier, &figures[carrier, default: SendFigures()])
                // The first turn warms up and is not counted.
                if repetition == 0 { figures[carrier] = nil }
            }
        }
        return rows(figures)
    }

    /// Delivers everything that waits, by a carrier and a dispatcher of its own, until all is settled.
    private func deliver(
        _ backlog: Backlog, _ standIns: CarrierStandIns, _ name: CarrierName, _ figures: inout SendFigures
    ) async throws {
        let count = scale.notifications
        let counter = DeliveredCounter(expected: count)
        let carrier = ObservedCarrier(carrier: try standIns.carrier(name, streams: Self.streams)) { _, outcome in
            counter.add(outcome)
        }
        var logger = Logger(label: "push")
        logger.logLevel = .error
        let dispatcher = Dispatcher(
            store: backlog.store, carriers: [carrier], configuration: PushConfiguration(network: .mainnet),
            clock: ServiceClock(given: MachineClock.system.wall), logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await carrier.run() }
            let (own, served) = (CPUTime.own, standIns.server.processorTime)
            let seconds = try await Measure.seconds {
                group.addTask { try await dispatcher.run() }
                try await counter.waitUntilDelivered()
                while try await backlog.store.totals().deliveries > 0 { try await Task.sleep(for: .milliseconds(1)) }
            }
            figures.add(
                count, seconds: seconds, sender: CPUTime.own - own,
                server: standIns.server.processorTime - served)
        }
    }

    private func rows(_ figures: [CarrierName: SendFigures]) -> [Row] {
        guard let apple = figures[.apns] else { return [] }
        let backlog = "deliver a backlog of \(Figure.text(Double(scale.notifications))), 1 connection"
        let yardstick = CarrierName.apns.label
        return CarrierName.allCases.flatMap { carrier -> [Row] in
            guard let ours = figures[carrier] else { return [] }
            return [
                Row("\(backlog), \(carrier.label)", ours.rate, "deliveries/s", against: yardstick, apple.rate),
                Row("  its processor time", ours.senderTime, "µs/delivery", against: yardstick, apple.senderTime),
                Row("  its server's", ours.serverTime, "µs/delivery", against: yardstick, apple.serverTime),
            ]
        }
    }
}

/// Tells when as many pushes as expected are delivered.
private final class DeliveredCounter: Sendable {
    private struct State {
        var delivered = 0
        var failure: String?
    }

    private let expected: Int
    private let state = Mutex(State())
    private let ended: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init(expected: Int) {
        self.expected = expected
        (ended, end) = AsyncStream.makeStream()
    }

    func add(_ outcome: SendOutcome) {
        let isLast = state.withLock { state in
            guard outcome.isDelivered else {
                // It was not sent, and comes again.
                if case .notYet = outcome.effect { return false }
                state.failure = "\(outcome.label), \(outcome.reason)"
                return true
            }
            state.delivered += 1
            return state.delivered == expected
        }
        if isLast { end.finish() }
    }

    /// Returns when all are delivered.
    ///
    /// - Throws: ``BenchmarkError`` for the first that is not.
    func waitUntilDelivered() async throws {
        for await _ in ended {}
        if let failure = state.withLock({ $0.failure }) {
            throw BenchmarkError("A push was not delivered: \(failure)")
        }
    }
}
