import KasiaProtocol
import Kaspa
import Postgres
import PostgresServer
import SampleOperations
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

/// Across a network each question to the server costs half a millisecond: a verb asks a few, however many rows it is
/// about.
@Suite("Questions to the server", .timeLimit(.minutes(5)))
struct RoundTripTests {
    private static let rows = 120
    /// Questions before the write and the write itself, the connections' own among them.
    private static let few = 9
    private static let now: UInt64 = 50_000

    private let bench: StoreBench
    private let proxy: CutProxy
    private let limits: StoreLimits

    init() throws {
        bench = try StoreBench()
        proxy = try CutProxy(to: bench.socket)
        var limits = StoreLimits()
        limits.logPerDevice = 40
        self.limits = limits
    }

    /// Lets a process that has just started do one thing, and counts what it asks.
    private func ask<Answer>(_ what: String, _ verb: (Store) async throws -> Answer) async throws -> Answer {
        var store: Store? = try bench.open(limits: limits, through: proxy)
        let closing = store?.closing
        let before = proxy.turns
        let answer = try await verb(try #require(store))
        let turns = proxy.turns - before
        #expect((1...Self.few).contains(turns), "\(what): \(turns) questions")
        store = nil
        #expect(await closing?.wait(atMost: .seconds(10)) == true)
        return answer
    }

    @Test("A verb asks a few, of a hundred rows as of one")
    func few() async throws {
        let (rows, now) = (Self.rows, Self.now)
        let listeners = (1...rows).map { Samples.device($0, channels: ["kaspa"]) }
        let busy = Samples.device(rows + 1, primary: Samples.bob, watching: [Samples.alice])
        try await bench.use { store in
            for device in listeners + [busy] {
                try await store.registry.upsertDevice(device.id) { _ in device }
                try await store.outbox.noteAccepted(device.id)
            }
        }
        let broadcasts = (1...rows).map { LifeSamples.operation($0, .broadcast) }
        let payments = (rows + 1...2 * rows).map { LifeSamples.operation($0, .payment) }
        _ = try await ask("a step of the chain") {
            try await $0.history.apply(LifeSamples.step(broadcasts + payments, to: 1), now: now, withdrawsUnsent: false)
        }
        let told = try await ask("a broadcast") {
            try await $0.outbox.fanOut(
                [LifeSamples.walk(1, .channel("kaspa"), .notifyWithin(.broadcast))], limit: 500, ordinaryWatchers: .max,
                now: now)
        }
        #expect(told.map(\.notified) == [rows])
        // More than the log keeps of a device.
        for events in [2...UInt64(rows / 2), UInt64(rows / 2) + 1...UInt64(rows)] {
            let told = try await ask("many messages to one device") {
                try await $0.outbox.fanOut(
                    events.map { LifeSamples.walk($0, .address(Samples.alice), .notify) }, limit: 500,
                    ordinaryWatchers: .max,
                    now: now)
            }
            #expect(told.reduce(0) { $0 + $1.notified } == events.count)
        }
        let told2 = try await ask("payments of strangers to one device") {
            try await $0.outbox.fanOut(
                (rows + 1..<2 * rows).map {
                    LifeSamples.walk(UInt64($0), .primary(Samples.bob), .notifyWithin(.strangers))
                },
                limit: 500, ordinaryWatchers: .max, now: now)
        }
        #expect(told2.reduce(0) { $0 + $1.notified } == rows - 1)
        let places = try bench.places()
        #expect(places.count == rows + 1)
        // Others wait behind these.
        let second = try await ask("another broadcast") {
            try await $0.outbox.fanOut(
                [LifeSamples.walk(UInt64(2 * rows), .channel("kaspa"), .notify)], limit: 500, ordinaryWatchers: .max,
                now: now)
        }
        #expect(second.map(\.notified) == [rows])
        let due = try await ask("what is due") { try await $0.outbox.dueDeliveries(places) }
        let settlements = try zip(places, due).enumerated().map { number, pair in
            Settlement(
                key: pair.0, transactionID: try #require(try pair.1.get()).delivery.transactionID, next: .done,
                ending: number % 2 == 0 ? .dead : .delivered)
        }
        _ = try await ask("settlements") { try await $0.outbox.settle(settlements, now: now) }
        _ = try await ask("the page of what was missed") {
            try await $0.outbox.deliveryLog(of: busy.id, after: 0, queuedSince: 0, limit: rows)
        }
        #expect(try await ask("an unregister") { try await $0.registry.removeDevice(busy.id) } ?? 0 > 20)
        _ = try await ask("a reorganisation") {
            try await $0.history.apply(
                LifeSamples.step([], removed: [1], to: 2), now: now, withdrawsUnsent: false, retractsPayments: true)
        }
        let later = now + Outbox.retractionDelay
        let corrections = try await ask("corrections") {
            try await $0.outbox.retractDue(now: later, knownUntil: later, limit: rows)
        }
        #expect(corrections == (rows, rows))
        let corrected = try await ask("a correction to those who were told") {
            try await $0.outbox.fanOutRetraction(
                event: UInt64(2 * rows + 1), limit: rows, ordinaryWatchers: .max, now: later, expiresAt: .max
            ) { _ in .notify }
        }
        #expect(corrected.walked >= rows)
        let pruned = try await ask("the log's old rows") {
            try await $0.outbox.pruneDeliveryLog(before: .max, limit: rows)
        }
        // Corrections wait, and stay.
        #expect(pruned == rows / 2)
        let forgotten = try await ask("old markers") {
            try await $0.outbox.pruneEnqueuedMarkers(before: .max, limit: rows, keepsUncorrected: true)
        }
        #expect(forgotten == rows)
        _ = try await ask("a step of the chain again") {
            try await $0.history.apply(LifeSamples.step(broadcasts + payments, to: 3), now: now, withdrawsUnsent: false)
        }
        var limits = HistoryLimits()
        (limits.bodiesBefore, limits.queuedBefore, limits.acceptancesBelow) = (.max, .max, .max)
        for (stage, removed) in [(HistoryPlace.Stage.acceptances, 2 * rows), (.operations, 2 * rows)] {
            let step = try await ask("history, \(stage)") {
                try await $0.history.forgetHistory(limits, at: HistoryPlace(stage: stage), rows: 3 * rows)
            }
            #expect(step.removed == removed)
        }
    }
}

extension StoreBench {
    /// Every place in the schedule.
    fileprivate func places() throws -> [ScheduleKey] {
        let rows = try connect().query("select key from schedule order by key", [])
        return try (0..<rows.count).map { row in
            try rows.bytes(row, 0).withUnsafeBytes { (key) throws(StoreError) in try ScheduleKey(key) }
        }
    }
}
