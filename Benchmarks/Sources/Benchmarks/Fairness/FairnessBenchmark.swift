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
    private var crowd: Int { scale.notifications * 5 }
    private var probes: Int { scale.notifications / 50 }
    private var deadDevices: Int { scale.notifications }

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let directory = try TemporaryDirectory()
        let store = try Store(path: directory.file("store"), network: .mainnet)
        try await Townsfolk.register(.probes, Self.probeDevices, in: store)
        try await Townsfolk.register(.living, Self.livingDevices, in: store)
        try await Townsfolk.register(.dead, deadDevices, in: store)
        try await Townsfolk.register(.crowd, crowd, in: store)
        let server = try SandboxProcess(deadTokens: deadDevices)
        defer { server.stop() }
        let client = try server.makeClient(connections: Self.connections, streams: Self.streams)
        var logger = Logger(label: "push")
        logger.logLevel = .critical
        let sender = ProbeSender(client: client)
        let dispatcher = Dispatcher(
            store: store,
            carriers: [APNsCarrier(sender: sender, capacity: Self.connections * Self.streams)],
            configuration: PushConfiguration(network: .mainnet),
            clock: ServiceClock(given: MachineClock.system.wall), logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            group.addTask { try await dispatcher.run() }
            defer { group.cancelAll() }
            let town = Town(store: store, sender: sender, dispatcher: dispatcher, probeDevices: Self.probeDevices)
            return try await measure(town)
        }
    }

    private func measure(_ town: Town) async throws -> [Row] {
        var (empty, crowded, living, dying) = (Latencies(), Latencies(), Latencies(), Latencies())
        for repetition in 0...scale.repetitions {
            Terminal.progress("  turn \(repetition) of \(scale.repetitions)")
            let alone = try await town.probe(probes) { true }
            let inCrowd = try await besideCrowd(town)
            let besideLiving = try await besideTraffic(town, deadShare: nil)
            let besideDead = try await besideTraffic(town, deadShare: Self.deadShare)
            // The first turn warms up and opens the connections.
            guard repetition > 0 else { continue }
            empty.add(alone)
            crowded.add(inCrowd)
            living.add(besideLiving)
            dying.add(besideDead)
        }
        let answers = town.sender.answers
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
    private func besideCrowd(_ town: Town) async throws -> [Double] {
        try await town.accept([Townsfolk.square])
        let reserve = UInt64(Self.connections * Self.streams * 2)
        let seconds = try await town.probe(probes) {
            let totals = try await town.store.totals()
            return totals.events > 0 || totals.deliveries > reserve
        }
        guard seconds.count >= probes / 4 else {
            throw BenchmarkError("The queue was empty after \(seconds.count) of \(probes) probes.")
        }
        try await town.drained()
        return seconds
    }

    private func besideTraffic(_ town: Town, deadShare: Int?) async throws -> [Double] {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    try await town.accept(
                        town.nextTraffic(Self.trafficBatch, livingDevices: Self.livingDevices, deadShare: deadShare))
                    try? await Task.sleep(for: Self.trafficPause)
                }
            }
            let seconds = try await town.probe(probes) { true }
            group.cancelAll()
            try await group.waitForAll()
            guard town.deadUsed <= deadDevices else { throw BenchmarkError("There were too few dead tokens.") }
            try await town.drained()
            return seconds
        }
    }
}

/// What each turn found, milliseconds.
private struct Latencies {
    private(set) var p50 = Samples()
    private(set) var p99 = Samples()

    mutating func add(_ seconds: [Double]) {
        let samples = Samples(seconds)
        p50.add(samples.median * 1e3)
        p99.add(samples.quantile(0.99) * 1e3)
    }
}

/// The store, the dispatcher and who writes to whom.
private final class Town: Sendable {
    let store: Store
    let sender: ProbeSender
    private let dispatcher: Dispatcher
    private let probeDevices: Int
    private let serial = Atomic<UInt64>(1)
    private let trafficCount = Atomic(0)
    private let deadCount = Atomic(0)

    init(store: Store, sender: ProbeSender, dispatcher: Dispatcher, probeDevices: Int) {
        self.store = store
        self.sender = sender
        self.dispatcher = dispatcher
        self.probeDevices = probeDevices
    }

    var deadUsed: Int { deadCount.load(ordering: .relaxed) }

    func accept(_ senders: [Address]) async throws {
        let number = serial.add(1, ordering: .relaxed).oldValue
        try await Townsfolk.accept(from: senders, serial: number, in: store, now: MachineClock.system.wall())
        dispatcher.wake()
    }

    /// The writers of the next messages; a dead token is used once, as it goes with its first 410.
    func nextTraffic(_ count: Int, livingDevices: Int, deadShare: Int?) -> [Address] {
        (0..<count).map { _ in
            let number = trafficCount.add(1, ordering: .relaxed).oldValue
            if let deadShare, number.isMultiple(of: deadShare) {
                return Townsfolk.address(.dead, deadCount.add(1, ordering: .relaxed).oldValue)
            }
            return Townsfolk.address(.living, number % livingDevices)
        }
    }

    /// Sends messages to one device after another while `goesOn`, at most `count`; the seconds until each was answered.
    func probe(_ count: Int, while goesOn: () async throws -> Bool) async throws -> [Double] {
        var seconds: [Double] = []
        while seconds.count < count, try await goesOn() {
            let number = seconds.count % probeDevices
            let answers = sender.nextAnswer(to: Townsfolk.tokenText(.probes, number))
            seconds.append(
                try await Measure.seconds {
                    try await accept([Townsfolk.address(.probes, number)])
                    for await answer in answers where answer != "delivered" {
                        throw BenchmarkError("A probe was not delivered: \(answer)")
                    }
                })
        }
        return seconds
    }

    /// Returns when nothing waits.
    func drained() async throws {
        while true {
            let totals = try await store.totals()
            if totals.events == 0, totals.deliveries == 0 { return }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
