import KasiaProtocol
import Kaspa
import Postgres
import SampleOperations
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

/// The log has a partition a day, which is emptied at once.
@Suite("Days of the log", .timeLimit(.minutes(5)))
struct LogDaysTests {
    private static let day = LogDay.length
    /// The beginning of a day.
    private static let start: UInt64 = 20_000 * day
    private static let listeners = 3
    /// The deliveries that the log knows, those that wait among them.
    private static let rows = "select count(*) from delivery_log_by_time"

    /// Times, and how many of the rows of `days` go then.
    private static let boundaries: [(UInt64, Int64)] = [
        (start - 1, 0), (start, 3), (start + 1, 3), (start + day - 1, 3), (start + day, 9), (start + 2 * day, 12),
    ]

    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    /// Lets a store tell some devices of one broadcast at each time: all deliveries end, every second one as a dead letter,
    /// but those of the last time, which wait.
    private func live(_ store: Store, at times: [UInt64]) async throws {
        for number in 1...Self.listeners {
            let device = Samples.device(number, channels: ["kaspa"])
            try await store.registry.upsertDevice(device.id) { _ in device }
            try await store.outbox.noteAccepted(device.id)
        }
        for (index, time) in times.enumerated() {
            let number = index + 1
            _ = try await store.history.apply(
                LifeSamples.step([LifeSamples.operation(number, .broadcast)], to: number), now: time,
                withdrawsUnsent: false)
            let steps = try await store.outbox.fanOut(
                [LifeSamples.walk(UInt64(number), .channel("kaspa"), .notify)], limit: 100, ordinaryWatchers: .max,
                now: time)
            #expect(steps.map(\.notified) == [Self.listeners])
            guard number < times.count else { return }
            let settlements = steps.flatMap(\.scheduled).enumerated().map { index, key in
                Settlement(
                    key: key, transactionID: LifeSamples.transaction(number), next: .done,
                    ending: index % 2 == 0 ? .dead : .delivered)
            }
            _ = try await store.outbox.settle(settlements, now: time)
        }
    }

    @Test(
        "What ended before the day of the time given goes at once, with its letters, and the rest is as on the other engine",
        arguments: boundaries)
    func days(time: UInt64, gone: Int64) async throws {
        let times =
            [Self.start - 1, Self.start, Self.start + Self.day - 1, Self.start + Self.day]
            + [Self.start + 2 * Self.day]
        let directory = try TemporaryDirectory()
        let rocks = try Store(path: directory.file("rocks"), network: .mainnet)
        try await live(rocks, at: times)
        try await bench.use { store in
            try await live(store, at: times)
            let before = try bench.number(Self.rows)
            #expect(before == 15)
            #expect(try await store.outbox.forgetOldLog(before: time, limit: 100) == 0)
            _ = try await rocks.outbox.pruneDeliveryLog(before: time - time % Self.day, limit: 100)
            #expect(try bench.number(Self.rows) == before - gone)
            let differences = try StoreDump(rocks).differences(from: StoreDump(store))
            #expect(differences.isEmpty, "\(differences)")
            #expect(try store.checkBooks().isSound)
            // A number that is used again: nothing of the old day is in the way.
            #expect(try await store.outbox.forgetOldLog(before: time, limit: 100) == 0)
        }
    }

    @Test("Dead letters go first, so many a call, and their day once all of them are gone", arguments: [1, 2, 3])
    func letters(limit: Int) async throws {
        try await bench.use { store in
            try await live(store, at: [Self.start, Self.start + Self.day])
            let gone = try await store.outbox.forgetOldLog(before: Self.start + Self.day, limit: limit)
            #expect(gone == (limit <= 2 ? limit : 0))
            #expect(try await store.outbox.deadLetters(limit: 9).count == max(0, 2 - limit))
            #expect(try bench.number(Self.rows) == (limit <= 2 ? 6 : 3))
            #expect(try store.checkBooks().isSound)
            while try await store.outbox.forgetOldLog(before: Self.start + Self.day, limit: limit) == limit {}
            #expect(try bench.number(Self.rows) == 3)
            #expect(try store.checkBooks().isSound)
        }
    }

    @Test("A day that shares its partition with a younger one, as after a wrong clock, goes row by row")
    func shared() async throws {
        let younger = Self.start + UInt64(LogSlots.count) * Self.day
        try await bench.use { store in
            try await live(store, at: [Self.start, younger, younger + 1])
            let time = Self.start + Self.day
            // Two letters, and then three rows.
            for gone in [2, 2, 1, 0] {
                #expect(try await store.outbox.forgetOldLog(before: time, limit: 2) == gone)
            }
            #expect(try bench.number(Self.rows) == 6)
            #expect(try store.checkBooks().isSound)
        }
    }

    @Test("A day that somebody reads is not waited for, and goes later")
    func read() async throws {
        try await bench.use { store in
            try await live(store, at: [Self.start, Self.start + Self.day])
            let reader = try bench.connect()
            try reader.execute(script: "begin; select count(*) from delivery_log")
            let begun = ContinuousClock.now
            let time = Self.start + Self.day
            #expect(try await store.outbox.forgetOldLog(before: time, limit: 2) == 2)
            // Row by row meanwhile, and the rest at once.
            #expect(try await store.outbox.forgetOldLog(before: time, limit: 1) == 1)
            #expect(ContinuousClock.now - begun < .seconds(60))
            #expect(try bench.number(Self.rows) == 5)
            try reader.execute(script: "commit")
            #expect(try await store.outbox.forgetOldLog(before: time, limit: 1) == 0)
            #expect(try bench.number(Self.rows) == 3)
        }
    }

    @Test(
        "Tables of the layout before are brought to this one, row for row, by who writes; others read them as they are")
    func olderLayout() async throws {
        var before: StoreDump?
        try await bench.use { store in
            try await live(store, at: [Self.start - 1, Self.start, Self.start + 3 * Self.day])
            // Older versions had a row of what waits, too.
            var waiting: [Delivery] = []
            for number in 1...Self.listeners {
                waiting += try await store.outbox.deliveries(of: Samples.device(number).id, limit: 9)
            }
            let rows = waiting.map { (key: $0.key, record: DeliveryLogEntry($0).encoded) }
            try await store.write { transaction in
                for row in rows { transaction.put(.deliveryLog, row.key, row.record) }
                transaction.put(.meta, MetaKey.schemaVersion, SchemaVersion.encoded(SchemaVersion.oldestAlike))
            }
            before = try StoreDump(store)
        }
        try bench.run(
            """
            create table l as select key, record from delivery_log;
            create table t as select key, record from delivery_log_by_time;
            drop table delivery_log, delivery_log_by_time;
            alter table l rename to delivery_log;
            alter table t rename to delivery_log_by_time;
            alter table delivery_log add constraint delivery_log_pkey primary key (key);
            alter table delivery_log_by_time add constraint delivery_log_by_time_pkey primary key (key);
            update store_layout set version = 1
            """)
        let reader = try bench.open(readOnly: true)
        #expect(try StoreDump(reader) == before)
        #expect(try bench.number("select version from store_layout") == 1)
        try await bench.use { store in
            let (dump, layout) = (try StoreDump(store), try bench.number("select version from store_layout"))
            before?.rows[.meta] = dump.rows[.meta]
            #expect(dump == before && layout == SchemaScript.layout)
            #expect(try store.database.get(.meta, MetaKey.schemaVersion) == SchemaVersion.encoded)
            for number in 1...Self.listeners {
                let device = Samples.device(number).id
                let place = try #require(try await store.outbox.deviceState(device).scheduled).key(of: device)
                let settlement = Settlement(key: place, transactionID: LifeSamples.transaction(3), next: .done)
                #expect(
                    try await store.outbox.settle([settlement], now: Self.start + 4 * Self.day).map(\.found) == [true])
            }
            #expect(try store.checkBooks().isSound)
            #expect(try bench.number("select count(*) from delivery_log where slot = \(20_003 % LogSlots.count)") == 3)
            #expect(try await store.outbox.forgetOldLog(before: Self.start + Self.day, limit: 9) == 0)
            #expect(try bench.number(Self.rows) == 3)
            #expect(try store.checkBooks().isSound)
        }
    }
}
