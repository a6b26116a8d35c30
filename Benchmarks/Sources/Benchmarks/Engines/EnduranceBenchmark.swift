import Clocks
import Store

/// What stays of PostgreSQL's pace and size after millions of deliveries, and while somebody holds a snapshot open.
///
/// A round accepts operations, queues a delivery for each, takes and settles them, and sends nothing. The yardstick of
/// the later rounds is the first ones.
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
        // One dispatcher for all rounds.
        var cursor = ScheduleCursor()
        var costs: [Cost] = []
        for number in 1...Self.rounds {
            Terminal.progress("  round \(number) of \(Self.rounds)")
            costs.append(try await round(number, backlog, engines, &cursor))
        }
        let (first, last) = (Array(costs.prefix(Self.compared)), Array(costs.suffix(Self.compared)))
        let size = try megabytes(engines)
        let snapshot = try engines.snapshot(of: Self.store)
        let start = ContinuousClock.now
        var during: [Cost] = []
        repeat {
            Terminal.progress("  under a snapshot, \((ContinuousClock.now - start) / .seconds(1)) s")
            during.append(try await pacedRound(Self.rounds + 1 + during.count, backlog, engines, &cursor))
        } while ContinuousClock.now - start < scale.snapshot
        let swollen = try megabytes(engines)
        snapshot.end()
        let end = ContinuousClock.now
        // Traffic goes on.
        var after = [try await pacedRound(Self.rounds + 1 + during.count, backlog, engines, &cursor)]
        while ContinuousClock.now - end < .seconds(60) {
            after.append(try await pacedRound(Self.rounds + 1 + during.count + after.count, backlog, engines, &cursor))
        }
        let minuteLater = try megabytes(engines)
        let (pruned, serverPruned) = try await prune(backlog, engines)
        let beginning = ContinuousClock.now
        _ = try await backlog.store.outbox.forgetOldLog(before: .max, limit: Self.prunedAtOnce)
        let emptied = (ContinuousClock.now - beginning) / .milliseconds(1)
        let count = Figure.text(Double(scale.notifications * Self.rounds))
        return Self.rows("queued, taken and settled, the last of \(count)", last, "the first", first)
            + Self.rows(
                "the same while a snapshot is open, at 5,000/s, its last rounds", Array(during.suffix(Self.compared)),
                "before it", last)
            + Self.rows("the same in the minute after", after, "before it", last) + [
                Row("the outbox with its indexes after \(count)", Samples([size]), "MB"),
                Row("  at the end of the snapshot", Samples([swollen]), "MB", against: "before it", Samples([size])),
                Row("  a minute later", Samples([minuteLater]), "MB", against: "before it", Samples([size])),
                Row("the log's oldest rows forgotten one by one, in batches of \(Self.prunedAtOnce)", pruned, "/s"),
                Row("  server's time for each", serverPruned, "µs"),
                Row("  the rest forgotten as a day", Samples([emptied]), "ms"),
            ]
    }

    /// The server's processor time in one round, microseconds.
    private struct Cost {
        /// For an operation: a step of the chain has a thousand.
        var operation = 0.0
        /// For a delivery: queued, taken and settled.
        var delivery = 0.0
    }

    private static func rows(_ what: String, _ costs: [Cost], _ yardstick: String, _ before: [Cost]) -> [Row] {
        [
            Row(
                "server's time for a delivery, \(what)", Samples(costs.map(\.delivery)), "µs", against: yardstick,
                Samples(before.map(\.delivery))),
            Row(
                "  for the operation that it is about", Samples(costs.map(\.operation)), "µs", against: yardstick,
                Samples(before.map(\.operation))),
        ]
    }

    /// The same, which takes as long as its deliveries do at `pace`.
    private func pacedRound(
        _ number: Int, _ backlog: Backlog, _ engines: Engines, _ cursor: inout ScheduleCursor
    ) async throws -> Cost {
        let end = ContinuousClock.now + .seconds(Double(scale.notifications) / Self.pace)
        let time = try await round(number, backlog, engines, &cursor)
        try await Task.sleep(until: end, clock: .continuous)
        return time
    }

    private func round(
        _ number: Int, _ backlog: Backlog, _ engines: Engines, _ cursor: inout ScheduleCursor
    ) async throws -> Cost {
        var (cost, before) = (Cost(), engines.serverTime(.postgres))
        func note(_ part: WritableKeyPath<Cost, Double>) {
            let now = engines.serverTime(.postgres)
            cost[keyPath: part] += (now - before) / Double(scale.notifications) * 1e6
            before = now
        }
        try await backlog.queue(scale.notifications, round: number, now: MachineClock.system.wall()) { part in
            switch part {
            case .accepted: note(\.operation)
            case .queued(let places):
                note(\.delivery)
                for place in places { cursor.added(place) }
            }
        }
        try await Taking.drain(backlog.store, scale.notifications, &cursor)
        note(\.delivery)
        return cost
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
