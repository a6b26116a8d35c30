import Kaspa
import Postgres
import PostgresServer
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

@Suite("Upkeep of what waits", .timeLimit(.minutes(5)))
struct QueueUpkeepTests {
    private static let eager = QueueUpkeep.Limits(interval: .milliseconds(50), deadRows: 100, indexBytes: 128 << 10)

    /// Its own: on one that others use, their snapshots keep dead rows.
    private let server: PostgresServer
    private let bench: StoreBench

    init() throws {
        server = try PostgresServer()
        bench = try StoreBench(on: server)
    }

    /// Opens the store with an upkeep that looks often.
    private func use(_ body: (Store) async throws -> Void) async throws {
        var store: Store? = try PostgresStore.open(
            bench.location, network: .mainnet, limits: StoreLimits(), readOnly: false, acceptsPartialCopy: false,
            standby: nil, times: StoreBench.quiet, upkeep: Self.eager)
        let closing = store?.closing
        if let store { try await body(store) }
        store = nil
        #expect(await closing?.wait(atMost: .seconds(10)) == true)
    }

    /// Puts rows into the schedule and deletes them, so that as many are dead; returns the sizes in between.
    @discardableResult
    private func churn(_ store: Store, _ count: Int) async throws -> (vacuums: Int64, bytes: Int64, index: Int64) {
        let keys = (0..<count).map { number in
            [UInt8](repeating: 1, count: 20) + withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
        }
        try await store.write { transaction in for key in keys { transaction.put(.schedule, key, []) } }
        let large = try sizes()
        try await store.write { transaction in for key in keys { transaction.delete(.schedule, key) } }
        return large
    }

    private func sizes() throws -> (vacuums: Int64, bytes: Int64, index: Int64) {
        (
            try bench.number(
                "select vacuum_count from pg_stat_user_tables where relid = 'schedule'::regclass"),
            try bench.number("select pg_relation_size('schedule')"),
            try bench.number("select pg_relation_size('schedule_pkey')")
        )
    }

    private func wait(
        _ what: String, writing store: Store, _ condition: ((vacuums: Int64, bytes: Int64, index: Int64)) throws -> Bool
    ) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try !condition(sizes()) {
            guard ContinuousClock.now < end else { throw StoreError(.engine, "it never came to be so: \(what)") }
            try await churn(store, 1)
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test("Dead rows are vacuumed, and an index that is larger than its table is made anew")
    func tidied() async throws {
        try await use { store in
            let large = try await churn(store, 20_000)
            #expect(large.bytes > 500_000 && large.index > 500_000)
            // It looks while something is written.
            try await wait("all is small again", writing: store) {
                $0.vacuums > 0 && $0.bytes < 16_384 && $0.index < 65_536
            }
            // What is written afterwards is found.
            try await store.write { transaction in transaction.put(.schedule, [7], []) }
            #expect(try store.database.get(.schedule, [7]) == [])
        }
    }

    @Test(
        "Autovacuum leaves these tables alone below two million dead rows, however many are inserted; in migrated stores, too"
    )
    func leftToIt() async throws {
        let left = """
            select count(*) from pg_class where reloptions @> array['autovacuum_vacuum_scale_factor=0',
              'autovacuum_vacuum_threshold=2000000', 'autovacuum_vacuum_insert_threshold=-1']
            """
        let tables = Int64(QueueUpkeep.tables.count)
        try await use { _ in }
        #expect(try bench.number(left) == tables)
        try bench.run(
            """
            alter table events reset (autovacuum_vacuum_insert_threshold);
            alter table device_states set (autovacuum_vacuum_scale_factor = 0.02);
            update store_layout set version = 2
            """)
        try await use { _ in }
        #expect(try bench.number(left) == tables)
        #expect(try bench.number("select version from store_layout") == SchemaScript.layout)
    }

    @Test("A large table is vacuumed from a fiftieth of its rows on")
    func large() async throws {
        try await use { store in
            let keys = (0..<50_000).map { number in withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } }
            try await store.write { transaction in for key in keys { transaction.put(.deviceStates, key, [1]) } }
            func count(_ column: String) throws -> Int64 {
                try bench.number("select \(column) from pg_stat_user_tables where relid = 'device_states'::regclass")
            }
            try await store.write { transaction in for key in keys[0..<950] { transaction.delete(.deviceStates, key) } }
            // It looks at all tables each time.
            for _ in 1...2 {
                let before = try sizes().vacuums
                try await churn(store, 200)
                try await wait("another table is vacuumed", writing: store) { $0.vacuums > before }
            }
            #expect(try count("vacuum_count") == 0 && count("n_dead_tup") == 950)
            try await store.write { transaction in
                for key in keys[950..<1_050] { transaction.delete(.deviceStates, key) }
            }
            try await wait("it is vacuumed", writing: store) { _ in try count("vacuum_count") > 0 }
            #expect(try count("n_dead_tup") < 50)
        }
    }

    @Test("While a snapshot keeps all of it, it is tried a few times, and tidied up once that has gone")
    func snapshot() async throws {
        try await use { store in
            let reader = try bench.connect()
            try reader.execute(script: "begin isolation level repeatable read; select count(*) from schedule")
            let start = ContinuousClock.now
            try await churn(store, 5_000)
            try await wait("it was tried", writing: store) { $0.vacuums > 0 }
            for _ in 0..<20 {
                try await churn(store, 10)
                try await Task.sleep(for: .milliseconds(20))
            }
            let vacuums = try sizes().vacuums
            let pauses = (ContinuousClock.now - start).components.seconds / VacuumPace.firstPause.components.seconds
            #expect(vacuums <= 1 + pauses, "a vacuum that did not help is followed by a pause")
            #expect(try sizes().bytes > 100_000)
            try reader.execute(script: "commit")
        }
    }

}

@Suite("Pace of the vacuum")
struct VacuumPaceTests {
    @Test("A pause doubles while it does not help, up to the longest, and ends once it does")
    func pace() {
        var pace = VacuumPace()
        let start = ContinuousClock.now
        #expect(!pace.isDue(99, from: 100, now: start))
        #expect(pace.isDue(100, from: 100, now: start))
        for seconds in [10, 20, 40, 40] {
            // Half of them and one are left.
            pace.done(before: 100, after: 51, now: start)
            #expect(!pace.isDue(100, from: 100, now: start + .seconds(seconds) - .milliseconds(1)))
            #expect(pace.isDue(100, from: 100, now: start + .seconds(seconds)))
        }
        pace.done(before: 100, after: 50, now: start)
        #expect(pace.isDue(100, from: 100, now: start))
    }
}
