import Clocks
import Foundation
import Kaspa
import KasiaProtocol
import Store

/// The same work on RocksDB and on PostgreSQL, in turns, with a server that shares the cores.
struct EnginesBenchmark: Benchmark {
    static let name = "engines"
    private static let deliveriesPerDevice = 5
    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let engines = try Engines()
        return try await deliveries(engines) + fanOut(engines) + chainSteps(engines) + registrations(engines)
            + chainToWire(engines)
    }

    // MARK: Deliveries

    private func deliveries(_ engines: Engines) async throws -> [Row] {
        let count = scale.notifications
        var backlogs: [EngineName: Backlog] = [:]
        for engine in EngineName.allCases {
            backlogs[engine] = try await Backlog(
                store: try engines.open(engine, "deliveries"), deviceCount: max(1, count / Self.deliveriesPerDevice))
        }
        func backlog(_ engine: EngineName, round: Int) async throws -> Store {
            guard let backlog = backlogs[engine] else { throw BenchmarkError("No store.") }
            try await backlog.queue(count, round: round, now: MachineClock.system.wall())
            return backlog.store
        }
        let server = try SandboxProcess()
        defer { server.stop() }
        var rows: [Row] = []
        for connections in [1, 2] {
            let figures = try await EngineFigures(engines, scale.repetitions, "deliveries") { engine, repetition in
                let store = try await backlog(engine, round: 100 * connections + repetition)
                let served = engines.serverTime(engine)
                let turn = try await DeliveryTurn.deliver(count, of: store, server, connections)
                return EngineFigures.Turn(
                    count: count, seconds: turn.seconds, own: turn.sender, server: engines.serverTime(engine) - served)
            }
            rows += figures.rows(
                "deliver a backlog of \(Figure.text(Double(count))), connections: \(connections)", "deliveries")
        }
        let figures = try await EngineFigures(engines, scale.repetitions, "take and settle") { engine, repetition in
            let store = try await backlog(engine, round: 300 + repetition)
            return try await .of(count, engine, engines) { try await Taking.drain(store, count) }
        }
        return rows + figures.rows("take and settle a backlog, nothing sent", "deliveries")
    }

    // MARK: Fan-out

    /// One message of somebody whom every device watches.
    private func fanOut(_ engines: Engines) async throws -> [Row] {
        let sender = WatchPopulation.address(1)
        var stores: [EngineName: Store] = [:]
        for engine in EngineName.allCases {
            let store = try engines.open(engine, "fan_out")
            try await register((0..<scale.devices).map { WatchPopulation.watcher($0, of: [sender]) }, in: store)
            stores[engine] = store
        }
        let count = scale.devices
        let figures = try await EngineFigures(engines, scale.repetitions, "fan-out") { engine, repetition in
            guard let store = stores[engine] else { throw BenchmarkError("No store.") }
            let now = MachineClock.system.wall()
            let event = try await Backlog.message(of: sender, number: repetition, in: store, now: now)
            let walk = FanOutWalk(event: event, lists: [.address(sender)], expiresAt: now + 86_400_000) { _, _ in
                .notify
            }
            let turn = try await EngineFigures.Turn.of(count, engine, engines) {
                while try await !store.outbox.fanOut([walk], limit: 256, ordinaryWatchers: 256, now: now)
                    .allSatisfy(\.finished)
                {}
            }
            try await Taking.drain(store, count)
            return turn
        }
        return figures.rows("fan-out of one message to \(Figure.text(Double(count)))", "watchers")
    }

    /// Many at once, as the service gets them; a commit for each would measure the disk.
    private func register(_ devices: [DeviceRecord], in store: Store) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, device) in devices.enumerated() {
                if index >= 64 { try await group.next() }
                group.addTask {
                    try await store.registry.upsertDevice(device.id) { _ in device }
                    try await store.outbox.noteAccepted(device.id)
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: The chain

    private func chainSteps(_ engines: Engines) async throws -> [Row] {
        let watched = WatchedScripts()
        let answers = ChainAnswers(
            answers: scale.chainAnswers, oursEvery: 10, watched: watched, time: MachineClock.system.wall())
        let figures = try await EngineFigures(engines, scale.repetitions, "chain") { engine, repetition in
            let store = try engines.open(engine, "chain_\(repetition)")
            return try await .of(answers.oursCount, engine, engines) {
                try await CatchUpBenchmark.index(answers, watched, store, now: MachineClock.system.wall())
            }
        }
        return figures.rows("catch up, one transaction in ten is ours, from memory", "operations")
    }

    private func chainToWire(_ engines: Engines) async throws -> [Row] {
        var latencies: [EngineName: ChainToWireBenchmark.Latencies] = [:]
        for engine in EngineName.allCases {
            Terminal.progress("  chain to wire, \(engine.rawValue)")
            latencies[engine] = try await ChainToWireBenchmark(scale: scale).measure(engines.open(engine, "wire"))
        }
        guard let ours = latencies[.postgres], let yardstick = latencies[.rocksDB] else { return [] }
        return [("p50", 0.5), ("p99", 0.99)].map { name, share in
            Row(
                "an answer's last byte to the notification at the client, PostgreSQL, \(name)",
                Samples([ours.handed.quantile(share)]), "ms", against: EngineName.rocksDB.rawValue,
                Samples([yardstick.handed.quantile(share)]))
        }
    }

    // MARK: Registrations

    private func registrations(_ engines: Engines) async throws -> [Row] {
        var services: [EngineName: ServiceProcess] = [:]
        defer { services.values.forEach { $0.end() } }
        for engine in EngineName.allCases {
            let url = engine == .postgres ? ["STORE_URL": try engines.url("registrations")] : [:]
            let service = try RegistrationRound.service(
                in: scale.executables, store: engines.path("registrations-\(engine.rawValue)"), url)
            try await service.answers("/health", within: .seconds(60))
            services[engine] = service
        }
        var rows: [Row] = []
        var devices: [Int: [DayDevice]] = [:]
        for isFirst in [true, false] {
            let figures = try await EngineFigures(engines, scale.repetitions, "registrations") { engine, repetition in
                guard let service = services[engine] else { throw BenchmarkError("No service.") }
                let round = try RegistrationRound(
                    devices[repetition] ?? RegistrationRound.devices(scale.registrations, round: repetition),
                    service)
                devices[repetition] = round.devices
                let (own, server) = (CPUTime.of(process: service.processID), engines.serverTime(engine))
                let seconds = try round.send()
                return EngineFigures.Turn(
                    count: round.devices.count, seconds: seconds,
                    own: CPUTime.of(process: service.processID) - own, server: engines.serverTime(engine) - server)
            }
            rows += figures.rows(
                isFirst
                    ? "registrations over HTTP, \(RegistrationRound.description)"
                    : "  the same devices again, nothing new",
                "registrations")
        }
        try engines.vacuum("watchers", of: "registrations")
        let bytes = try engines.number(
            "select pg_total_relation_size('watchers')::float8 / greatest(count(*), 1) from watchers",
            of: "registrations")
        return rows + [Row("an entry of the watch index with its index, PostgreSQL", Samples([bytes]), "B")]
    }
}
