import Carriers
import Clocks
import Kaspa
import Logging
import Push
import Store
import Synchronization

/// How long a message takes to one carrier's answer while another carrier is out: it must delay none of the others.
///
/// A thousand messages a second go to devices of the carrier that goes out. The yardstick is the same traffic just
/// before, while that carrier is well.
struct OutageBenchmark: Benchmark {
    static let name = "outage"
    private static let streams = 100
    private static let probeDevices = 50
    private static let crowdDevices = 500
    /// Messages accepted together, and the pause between.
    private static let trafficBatch = 50
    private static let trafficPause = Duration.milliseconds(50)

    /// How a carrier goes out.
    private enum Outage: String, CaseIterable {
        case refuses = "refuses our credentials"
        case isBusy = "answers 429"
        case isSilent = "is silent"

        func rule(_ carrier: CarrierName) -> String {
            let answer =
                switch (self, carrier) {
                case (.isSilent, _): #""silence":true"#
                case (.isBusy, .apns): #""answer":{"status":429,"reason":"TooManyRequests"}"#
                case (.isBusy, .fcm): #""answer":{"status":429,"reason":"QUOTA_EXCEEDED"}"#
                case (.isBusy, .webPush): #""answer":{"status":429}"#
                case (.refuses, .apns): #""answer":{"status":403,"reason":"InvalidProviderToken"}"#
                case (.refuses, .fcm): #""answer":{"status":403,"reason":"PERMISSION_DENIED"}"#
                case (.refuses, .webPush): #""answer":{"status":403}"#
                }
            return #"{"rules":[{"name":"outage","carrier":"\#(carrier.label)",\#(answer)}]}"#
        }
    }

    private let scale: Scale
    private var probes: Int { scale.notifications / 200 }

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let standIns = try CarrierStandIns(subscriptions: Self.probeDevices + Self.crowdDevices)
        defer { standIns.server.stop() }
        var rows: [Row] = []
        for carrier in CarrierName.allCases {
            for outage in Outage.allCases {
                var (well, out) = (Latencies(), Latencies())
                for repetition in 0...scale.repetitions {
                    Terminal.progress("  \(carrier.label) \(outage.rawValue), turn \(repetition)")
                    let seconds = try await turn(standIns, carrier, outage)
                    guard repetition > 0 else { continue }
                    well.add(seconds.well)
                    out.add(seconds.out)
                }
                let what = "message to the others' answer, \(carrier.label) \(outage.rawValue)"
                rows += [
                    Row("\(what), p50", out.p50, "ms", against: "it is well", well.p50),
                    Row("  p99", out.p99, "ms", against: "it is well", well.p99),
                ]
            }
        }
        return rows
    }

    /// One turn with a store, carriers and a dispatcher of its own, so that no pause outlives its outage.
    private func turn(
        _ standIns: CarrierStandIns, _ failing: CarrierName, _ outage: Outage
    ) async throws -> (well: [Double], out: [Double]) {
        let directory = try TemporaryDirectory()
        let store = try Store(path: directory.file("store"), network: .mainnet)
        for carrier in CarrierName.allCases {
            for number in 0..<(Self.probeDevices + Self.crowdDevices) {
                var device = standIns.device(carrier, number)
                device.watchedAddresses = [Self.address(carrier, number)]
                try await store.registry.upsertDevice(device.id) { [device] _ in device }
                try await store.outbox.noteAccepted(device.id)
            }
        }
        let board = AnswerBoard()
        let carriers = try CarrierName.allCases.map {
            board.observing(try standIns.carrier($0, streams: Self.streams))
        }
        var logger = Logger(label: "push")
        logger.logLevel = .critical
        let dispatcher = Dispatcher(
            store: store, carriers: carriers, configuration: PushConfiguration(network: .mainnet),
            clock: ServiceClock(given: MachineClock.system.wall), logger: logger)
        let probe = MessageProbe(store: store, board: board, dispatcher: dispatcher)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for carrier in carriers { group.addTask { try await carrier.run() } }
            group.addTask { try await dispatcher.run() }
            let sent = Atomic(0)
            group.addTask {
                try await probe.flow(Self.trafficBatch, every: Self.trafficPause) { count in
                    (0..<count).map { _ in
                        let number = sent.add(1, ordering: .relaxed).oldValue % Self.crowdDevices
                        return Self.address(failing, Self.probeDevices + number)
                    }
                }
            }
            defer { group.cancelAll() }
            let others = CarrierName.allCases.filter { $0 != failing }
            // Opens the connections.
            _ = try await times(Self.probeDevices, probe, standIns, others)
            let well = try await times(probes, probe, standIns, others)
            try standIns.server.control.apply(outage.rule(failing))
            defer { try? standIns.server.control.removeRules(named: "outage") }
            let out = try await times(probes, probe, standIns, others)
            guard try await store.totals().deliveries > 0 else {
                throw BenchmarkError("\(failing.label) was not out: nothing waits for it.")
            }
            return (well, out)
        }
    }

    private func times(
        _ count: Int, _ probe: MessageProbe, _ standIns: CarrierStandIns, _ carriers: [CarrierName]
    ) async throws -> [Double] {
        var seconds: [Double] = []
        while seconds.count < count {
            let carrier = carriers[seconds.count % carriers.count]
            let number = seconds.count / carriers.count % Self.probeDevices
            seconds.append(
                try await probe.time(Self.address(carrier, number), to: standIns.device(carrier, number).id))
        }
        return seconds
    }

    private static func address(_ carrier: CarrierName, _ number: Int) -> Address {
        WatchPopulation.address(UInt64(carrier.rawValue) << 40 | UInt64(number) | 1 << 51)
    }
}
