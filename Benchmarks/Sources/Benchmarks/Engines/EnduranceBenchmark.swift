import Clocks
import Store

/// What stays of PostgreSQL's pace and size after millions of deliveries, and while somebody holds a snapshot open.
///
/// A round queues, takes and settles, and sends nothing. The yardstick of the later rounds is the first ones.
struct EnduranceBenchmark: Benchmark {
    static let name = "endurance"
    /// Rounds in all, and those at each end that are compared.
    private static let (rounds, compared) = (100, 5)
    private static let store = "endurance"
    /// Rows of the log that one batch forgets, as in the service.
    private static let prunedAtOnce = 1_000
    /// Of each round's deliveries, so that a device has one in every fourth.
    private static let devicesPerDelivery = 4
    /// Deliveries a second while the snapshot is open, and in the minute after.
    private static let pace = 5_000.0
    /// What waits to be sent lies in these.
    private static let outbox = "pg_total_relation_size('deliveries') + pg_total_relation_size('schedule')"
    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let engines = try Engines()
        let backlog = try await Backlog(
            store: try engines.open(.postgres, Self.store),
            deviceCount: scale.notifications * Self.devicesPerDelivery)
        var times: [Double] = []
        for number in 1...Self.rounds {
            Terminal.progress("  round \(number) of \(Self.rounds)")
            times.append(try await round(number, backlog, engines))
        }
        let (first, last) = (Samples(Array(times.prefix(Self.compared))), Samples(Array(times.suffix(Self.compared))))
        let size = try megabytes(engines)
        let snapshot = try engines.snapshot(of: Self.store)
        let start = ContinuousClock.now
        var during: [Double] = []
        repeat {
            Terminal.progress("  under a snapshot, \((ContinuousClock.now - start) / .seconds(1)) s")
            during.append(try await pacedRound(Self.rounds + 1 + during.count, backlog, engines))
        } while ContinuousClock.now - start < scale.snapshot
        let swollen = try megabytes(engines)
        snapshot.end()
        let end = ContinuousClock.now
        // Traffic goes on.
        var after = [try await pacedRound(Self.rounds + 1 + during.count, backlog, engines)]
        while ContinuousClock.now - end < .seconds(60) {
            after.append(try await pacedRound(Self.rounds + 1 + during.count + after.count, backlog, engines))
        }
        let minuteLater = try megabytes(engines)
        let (pruned, serverPruned) = try await prune(backlog, engines)
        let count = Figure.text(Double(scale.notifications * Self.rounds))
        let what = "server's time for a delivery"
        return [
            Row("\(what), queued, taken and settled, the last of \(count)", last, "µs", against: "the first", first),
            Row(
                "  the same while a snapshot is open, at 5,000/s, its last rounds",
                Samples(Array(during.suffix(Self.compared))),
                "µs",
                against: "before it", last),
            Row("  the same in the minute after", Samples(after), "µs", against: "before it", last),
            Row("the outbox with its indexes after \(count)", Samples([size]), "MB"),
            Row("  at the end of the snapshot", Samples([swollen]), "MB", against: "before it", Samples([size])),
            Row("  a minute later", Samples([minuteLater]), "MB", against: "before it", Samples([size])),
            Row("the log's oldest rows forgotten, in batches of \(Self.prunedAtOnce)", pruned, "/s"),
            Row("  server's time for each", serverPruned, "µs"),
        ]
    }

    /// The same, which takes as long as its deliveries do at `pace`.
    private func pacedRound(_ number: Int, _ backlog: Backlog, _ engines: Engines) async throws -> Double {
        let end = ContinuousClock.now + .seconds(Double(scale.notifications) / Self.pace)
        let time = try await round(number, backlog, engines)
        try await Task.sleep(until: end, clock: .continuous)
        return time
    }

    /// The server's processor time for a delivery of one round, microseconds.
    private func round(_ number: Int, _ backlog: Backlog, _ engines: Engines) async throws -> Double {
        let before = engines.serverTime(.postgres)
        try await backlog.queue(scale.notifications, round: number, now: MachineClock.system.wall())
        try await Taking.drain(backlog.store, scale.notifications)
        return (engines.serverTime(.postgres) - before) / Double(scale.notifications) * 1e6
    }

    /// Forgets the oldest rows of the log, as upkeep does.
    private func prune(
        _ backlog: Backlog, _ engines: Engines
    ) async throws -> (rate: Samples, server: Samples) {
        var (rates, times): ([Double], [Double]) = ([], [])
        for _ in 0..<Self.compared {
            let (start, before) = (ContinuousClock.now, engines.serverTime(.postgres))
            var count = 0
            while count < scale.notifications {
                let some = try await backlog.store.outbox.pruneDeliveryLog(before: .max, limit: Self.prunedAtOnce)
                guard some > 0 else { break }
                count += some
            }
            rates.append(Double(count) / ((ContinuousClock.now - start) / .seconds(1)))
            times.append((engines.serverTime(.postgres) - before) / Double(max(count, 1)) * 1e6)
        }
        return (Samples(rates), Samples(times))
    }

    private func megabytes(_ engines: Engines) throws -> Double {
        try engines.number("select (\(Self.outbox)) / 1e6", of: Self.store)
    }
}
