import Kaspa
import Postgres
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

@Suite("Who opens a database", .timeLimit(.minutes(5)))
struct OpeningTests {
    @Test("A second writer is refused while the first has it; a reader is not; afterwards it opens")
    func oneWriter() async throws {
        let bench = try StoreBench()
        try await bench.use { first in
            try await first.count(.growth)
            let error = await StoreBench.failure { () throws(StoreError) in _ = try bench.open() }
            #expect(error?.code == .locked)
            #expect(error?.message.hasPrefix("another process writes to the store at ") == true)
            #expect(try bench.open(readOnly: true).counted() == 1)
            // The refused one left nothing behind.
            try await first.count()
            #expect(try first.counted() == 2)
        }
        let next = try bench.open()
        try await next.count()
        #expect(try next.counted() == 3)
    }

    @Test("One that only reads changes nothing, makes nothing, and writes nothing")
    func readOnly() async throws {
        let bench = try StoreBench()
        let none = await StoreBench.failure { () throws(StoreError) in _ = try bench.open(readOnly: true) }
        #expect(none?.code == .inputOutput && none?.message.hasPrefix("there is no store in the database ") == true)
        let tables = "select count(*) from pg_class where relnamespace = current_schema()::regnamespace"
        #expect(try bench.number(tables) == 0)
        try await bench.use()
        let reader = try bench.open(readOnly: true)
        let refused = await StoreBench.failure { () throws(StoreError) in try await reader.count() }
        #expect(refused?.code == .unsupported)
        #expect(try bench.lastBatch() == 0)
    }

    @Test(
        "A store of another network, of a newer or older program is not opened, nor changed",
        arguments: [
            ("", Network.testnet(10), StoreError.Code.otherNetwork),
            ("update store_layout set version = version + 2", .mainnet, .newerSchema),
            ("update meta set record = '\\x7fffffff' where key = 'schema_version'", .mainnet, .newerSchema),
            ("update meta set record = '\\x00000001' where key = 'schema_version'", .mainnet, .olderSchema),
            ("delete from meta where key = 'schema_version'", .mainnet, .newerSchema),
        ])
    func otherStores(script: String, network: Network, code: StoreError.Code) async throws {
        let bench = try StoreBench()
        try await bench.use()
        if !script.isEmpty { try bench.run(script) }
        let owner = "select ('x' || left(replace(incarnation::text, '-', ''), 15))::bit(60)::bigint from writer"
        let before = try bench.number(owner)
        for readOnly in [false, true] {
            let error = await StoreBench.failure { () throws(StoreError) in
                _ = try bench.open(network: network, readOnly: readOnly)
            }
            #expect(error?.code == code)
        }
        #expect(try bench.number(owner) == before)
        try await StoreBench.wait("the server lets the lock of the refused opener go") {
            try bench.connect().run([(WriterStatements.lock, [.int64(WriterStatements.lockKey)])])[0].bool(0, 0)
        }
    }

    @Test("A writer that was cut off connects again, and is the one that writes")
    func cutOff() async throws {
        let bench = try StoreBench()
        let store = try bench.open()
        for number in 1...5 as ClosedRange<UInt64> {
            #expect(try bench.cutWriter() == 1)
            try await store.count(number % 2 == 0 ? .upkeep : .growth)
            #expect(try store.counted() == number)
        }
        #expect(store.trouble == nil)
        let error = await StoreBench.failure { () throws(StoreError) in _ = try bench.open() }
        #expect(error?.code == .locked)
    }
}

@Suite("Who was taken over from", .timeLimit(.minutes(5)))
struct FencingTests {
    @Test("It never writes again once another has opened the store meanwhile")
    func cutOff() async throws {
        let bench = try StoreBench()
        let first = try bench.open()
        try await first.count()
        try bench.cutWriter()
        let second = try bench.open()
        try await second.count(.growth)
        try await expectStopped(first)
        // Not even when the other has gone again.
        try bench.cutWriter()
        try await expectStopped(first)
        try await second.count(.growth)
        #expect(try second.counted() == 3)
    }

    @Test("Its connection may stand: the next transaction is refused")
    func standingConnection() async throws {
        let bench = try StoreBench()
        let first = try bench.open()
        try await first.count()
        try bench.run("update writer set incarnation = gen_random_uuid()")
        try await expectStopped(first)
        #expect(try first.counted() == 1)
    }

    @Test("While the other has the lock and has not taken over, it waits; it goes on if the other gives up")
    func otherGivesUp() async throws {
        let bench = try StoreBench()
        let store = try bench.open()
        try await store.count()
        try bench.cutWriter()
        let other = try bench.connect()
        #expect(try other.run([(WriterStatements.lock, [.int64(WriterStatements.lockKey)])])[0].bool(0, 0))
        async let late: Void = store.count()
        try await StoreBench.wait("the writer finds the lock taken") { store.trouble?.code == .unavailable }
        other.close()
        try await late
        #expect(try store.counted() == 2)
        #expect(store.trouble == nil)
    }

    private func expectStopped(_ store: Store) async throws {
        let batch = store.lastWrite
        async let others = [
            StoreBench.failure { () throws(StoreError) in try await store.count(.growth) },
            StoreBench.failure { () throws(StoreError) in try await store.count() },
        ]
        for error in await others {
            #expect(error?.code == .stopped)
            #expect(error?.message.contains("another process writes to this store") == true)
        }
        #expect(store.trouble?.code == .stopped)
        #expect(store.lastWrite == batch)
    }
}
