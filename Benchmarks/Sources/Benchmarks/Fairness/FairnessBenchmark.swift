import APNs
import Clocks
import Kaspa
import Logging
import Push
import Store
import Synchronization

/// How long an ordinary message takes from its acceptance to Apple's answer, whatever else goes on: one slow or refused
/// device must delay no other.
///
/// The yardstick is the same measurement with nothing else to send, in the same turn.
struct FairnessBenchmark: Benchmark {
    static let name = "fairness"
    private static let connections = 2
    private static let streams = 500
    private static let probeDevices = 100
    private static let livingDevices = 10_000
    /// Messages accepted together while others come and go, and the pause between: a thousand a second.
    private static let trafficBatch = 50
    private static let trafficPause = Duration.milliseconds(50)
    /// One in so many tokens is dead, in the one run where some are.
    private static let deadShare = 10

    private let scale: Scale
    private let senders = TrafficSenders()
    private var crowd: Int { scale.notifications * 5 }
    private var probes: Int { scale.notifications / 50 }
    private var deadDevices: Int { scale.notifications }

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let directory = try TemporaryDirectory()
        let store = try Store(path: directory.file("store"), network: .mainnet)
        try await FairnessDevices.register(.probes, Self.probeDevices, in: store)
        try await FairnessDevices.register(.living, Self.livingDevices, in: store)
        try await FairnessDevices.register(.dead, deadDevices, in: store)
        try await FairnessDevices.register(.crowd, crowd, in: store)
        let server = try SandboxProcess(deadTokens: deadDevices)
        defer { server.stop() }
        let client = try server.makeClient(connections: Self.connections, streams: Self.streams)
        var logger = Logger(label: "push")
        logger.logLevel = .critical
        let board = AnswerBoard()
        let carrier = board.observing(APNsCarrier(sender: client, capacity: Self.connections * Self.streams))
        let dispatcher = Dispatcher(
            store: store, carriers: [carrier],
            configuration: PushConfiguration(network: .mainnet),
            clock: ServiceClock(given: MachineClock.system.wall), logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await carrier.run() }
            group.addTask { try await dispatcher.run() }
            defer { group.cancelAll() }
            return try await measure(MessageProbe(store: store, board: board, dispatcher: dispatcher))
        }
    }

    private func measure(_ probe: MessageProbe) async throws -> [Row] {
        var (empty, crowded, living, dying) = (Latencies(), Latencies(), Latencies(), Latencies())
        for repetition in 0...scale.repetitions {
            Terminal.progress("  turn \(repetition) of \(scale.repetitions)")
            let alone = try await times(probe) { true }
            let inCrowd = try await besideCrowd(probe)
            let besideLiving = try await besideTraffic(probe, deadShare: nil)
            let besideDead = try await besideTraffic(probe, deadShare: Self.deadShare)
            // The first turn warms up and opens the connections.
            guard repetition > 0 else { continue }
            empty.add(alone)
            crowded.add(inCrowd)
            living.add(besideLiving)
            dying.add(besideDead)
        }
        let answers = probe.board.answers
        guard answers["token_gone"] != nil, answers["token_invalid"] != nil else {
            throw BenchmarkError("No token was dead: \(answers).")
        }
        let yardstick = "with an empty queue"
        return [
            ("of one event with \(Figure.text(Double(crowd))) watchers", crowded),
            ("beside 1,000 messages/s", living), ("… of which one in ten has a dead token", dying),
        ].flatMap { what, latencies in
            [
                Row("message to Apple's answer, \(what), p50", latencies.p50, "ms", against: yardstick, empty.p50),
                Row("  p99", latencies.p99, "ms", against: yardstick, empty.p99),
            ]
        }
    }

    /// Probes for as long as the deliveries of one great event wait.
    private func besideCrowd(_ probe: MessageProbe) async throws -> [Double] {
        try await probe.accept([FairnessDevices.sharedAddress])
        let reserve = UInt64(Self.connections * Self.streams * 2)
        let seconds = try await times(probe) {
            let totals = try await probe.store.totals()
            return totals.events > 0 || totals.deliveries > reserve
        }
        guard seconds.count >= probes / 4 else {
            throw BenchmarkError("The queue was empty after \(seconds.count) of \(probes) probes.")
        }
        try await probe.drained()
        return seconds
    }

    private func besideTraffic(_ probe: MessageProbe, deadShare: Int?) async throws -> [Double] {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [senders] in
                try await probe.flow(Self.trafficBatch, every: Self.trafficPause) { count in
                    senders.next(count, livingDevices: Self.livingDevices, deadShare: deadShare)
                }
            }
            let seconds = try await times(probe) { true }
            group.cancelAll()
            try await group.waitForAll()
            guard senders.deadUsed <= deadDevices else { throw BenchmarkError("There were too few dead tokens.") }
            try await probe.drained()
            return seconds
        }
    }

    /// Sends messages to one device after another while `goesOn`; the seconds until each was answered.
    private func times(_ probe: MessageProbe, while goesOn: () async throws -> Bool) async throws -> [Double] {
        var seconds: [Double] = []
        while seconds.count < probes, try await goesOn() {
            let number = seconds.count % Self.probeDevices
            let device = DeviceID(token: FairnessDevices.token(.probes, number))
            seconds.append(try await probe.time(FairnessDevices.address(.probes, number), to: device))
        }
        return seconds
    }
}

/// Who writes beside the probes.
private final class TrafficSenders: Sendable {
    private let count = Atomic(0)
    private let deadCount = Atomic(0)

    var deadUsed: Int { deadCount.load(ordering: .relaxed) }

    /// The writers of the next messages; a dead token is used once, as it goes with its first 410.
    func next(_ count: Int, livingDevices: Int, deadShare: Int?) -> [Address] {
        (0..<count).map { _ in
            let number = self.count.add(1, ordering: .relaxed).oldValue
            if let deadShare, number.isMultiple(of: deadShare) {
                return FairnessDevices.address(.dead, deadCount.add(1, ordering: .relaxed).oldValue)
            }
            return FairnessDevices.address(.living, number % livingDevices)
        }
    }
}
