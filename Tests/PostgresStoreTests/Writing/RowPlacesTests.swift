import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

/// Rows that every transaction changes are found where they stand, not by their keys.
@Suite("Places of rows", .timeLimit(.minutes(2)))
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
