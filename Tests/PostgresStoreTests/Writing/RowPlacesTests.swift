import Postgres
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

/// Rows that every transaction changes are found where they stand, not by their keys.
@Suite("Places of rows", .timeLimit(.minutes(5)))
struct RowPlacesTests {
    /// How often a table has been searched by its index, once the connections that did it have ended.
    private static func searches(_ table: String, _ bench: StoreBench) throws -> Int64 {
        try bench.number("select idx_scan from pg_stat_user_tables where relid = '\(table)'::regclass")
    }

    @Test("A thousand transactions search for them a few times, and say the same as by their keys")
    func searches() async throws {
        let bench = try StoreBench()
        // The first one makes the rows.
        try await bench.use { store in try await store.count() }
        let tables = ["writer", "meta"]
        let before = try tables.map { try Self.searches($0, bench) }
        try await bench.use { store in
            for _ in 0..<1_000 { try await store.count() }
            #expect(try store.counted() == 1_001)
        }
        for (table, before) in zip(tables, before) {
            try await StoreBench.wait("\(table) was searched for by the opening") {
                try Self.searches(table, bench) > before
            }
            #expect(try Self.searches(table, bench) < before + 50)
        }
        #expect(try bench.lastBatch() == 1_001)
    }

    /// Adds one to the number in each of these devices' states, all in one transaction.
    private static func add(_ store: Store, _ keys: [[UInt8]]) async throws {
        try await store.write { (transaction) throws(StoreError) in
            try transaction.willRead { () throws(StoreError) in
                var ahead = RowsAhead()
                ahead.add(.deviceStates, keys)
                return ahead
            }
            for key in keys {
                let old = try transaction.get(.deviceStates, key)?.first ?? 0
                transaction.put(.deviceStates, key, [old + 1])
            }
        }
    }

    @Test("So are the states of devices, read and written, whoever moves them; a new or a deleted one is none")
    func states() async throws {
        let bench = try StoreBench()
        let keys = (0..<50 as Range<UInt8>).map { [UInt8](repeating: $0, count: 16) }
        try await bench.use { store in
            try await Self.add(store, keys)
            // These are looked for by their keys once.
            try await Self.add(store, keys)
        }
        let before = try Self.searches("device_states", bench)
        try await bench.use { store in
            for number in 1...100 as ClosedRange<UInt8> {
                try await Self.add(store, keys)
                switch number {
                case 40: try bench.run("update device_states set record = record")
                case 60: try bench.run("vacuum full device_states")
                case 80:
                    try await store.write { transaction in transaction.delete(.deviceStates, keys[7]) }
                    #expect(try store.database.get(.deviceStates, keys[7]) == nil)
                default: break
                }
            }
            for key in keys { #expect(try store.database.get(.deviceStates, key) == [key == keys[7] ? 20 : 102]) }
        }
        // At most once for each row at the start, and after each of the three disturbances, to read and to write it.
        try await StoreBench.wait("the states were searched for by the opening") {
            try Self.searches("device_states", bench) > before
        }
        #expect(try Self.searches("device_states", bench) < before + 700)
        #expect(try bench.number("select count(*) from device_states") == 50)
    }

    @Test("As many places are kept as may be, and at most twice as many")
    func bounded() throws {
        let connection = try StoreBench().connect()
        let places = RowPlaces(capacity: 3)
        func note(_ number: Int) throws {
            try places.note(
                connection.query("select convert_to('\(number)', 'UTF8'), '(\(number),1)'", []), of: .deviceStates,
                column: 1)
        }
        func known(_ numbers: ClosedRange<Int>) -> [Int] {
            numbers.filter { places[.deviceStates, RowKey(Array(String($0).utf8))] == "(\($0),1)" }
        }
        for number in 1...5 { try note(number) }
        #expect(known(1...5) == [1, 2, 3, 4, 5])
        try note(6)
        #expect(known(1...6) == [4, 5, 6])
        try note(7)
        try note(8)
        #expect(known(1...8) == [4, 5, 6, 7, 8])
        #expect(places[.meta, RowKey(Array("8".utf8))] == "")
    }

    @Test("Rows that have been moved by others are found again")
    func moved() async throws {
        let bench = try StoreBench()
        try await bench.use { store in
            for number in 1...20 as ClosedRange<UInt64> {
                try await store.count()
                // Each leaves its rows at new places, and often others where they stood.
                if number % 3 == 0 { try bench.run("update meta set record = record; update writer set batch = batch") }
                if number % 5 == 0 { try bench.run("vacuum full meta"); try bench.run("vacuum full writer") }
                #expect(try store.counted() == number)
            }
        }
        try await bench.use { store in
            let counted = try store.counted()
            #expect(counted == 20)
        }
        #expect(try bench.lastBatch() == 20)
    }

    @Test("A transaction that fails, or whose answer is lost, leaves no wrong place behind")
    func lost() async throws {
        let bench = try StoreBench()
        try await bench.use { store in
            for number in 1...10 as ClosedRange<UInt64> {
                try await store.count()
                let error = await StoreBench.failure { () throws(StoreError) in
                    try await store.write(.upkeep) { (transaction) throws(StoreError) in
                        try transaction.adjust(.eventsCreated, by: 100)
                        throw StoreError(.corrupt, "thrown by the test")
                    }
                }
                #expect(error?.code == .corrupt)
                if number % 3 == 0 { try bench.cutWriter() }
                let counted = try await StoreBench.patiently { try store.counted() }
                #expect(counted == number)
            }
        }
        #expect(try bench.number("select count(*) from meta where key = 'count_events_created'") == 1)
    }
}
