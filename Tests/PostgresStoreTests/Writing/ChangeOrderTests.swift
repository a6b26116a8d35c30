import Dispatch
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

@Suite("The order of changes", .timeLimit(.minutes(5)))
struct ChangeOrderTests {
    private static let list = Array("list".utf8)

    /// Adds a number to the end of a list, after it is read from there.
    private func append(_ number: UInt8, to key: [UInt8], in store: Store) async throws(StoreError) {
        try await store.write(number % 2 == 0 ? .growth : .upkeep) { (transaction) throws(StoreError) in
            let list = try transaction.get(.transfers, key) ?? []
            transaction.put(.transfers, key, list + [number])
        }
    }

    @Test("Those that come while others are made are made in the order in which they came")
    func queue() async throws {
        let store = try StoreBench().open()
        let queue = try #require(store.writeQueue)
        let gate = DispatchSemaphore(value: 0)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        async let holder: Void = store.write { _ in
            beginning.finish()
            gate.wait()
        }
        for await _ in begun {}
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { gate.signal() }
            for number in 0..<30 as Range<UInt8> {
                group.addTask { try await append(number, to: ChangeOrderTests.list, in: store) }
                try await StoreBench.wait("\(number) waits") { queue.count == Int(number) + 1 }
            }
            gate.signal()
            try await group.waitForAll()
        }
        try await holder
        #expect(try store.database.get(.transfers, ChangeOrderTests.list) == Array(0..<30))
    }

    @Test("The changes of a task that waits for each are made one after the other, among others")
    func tasks() async throws {
        let store = try StoreBench().open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 as Range<UInt8> {
                group.addTask {
                    for number in 0..<10 as Range<UInt8> { try await append(number, to: [task], in: store) }
                }
            }
            try await group.waitForAll()
        }
        for task in 0..<8 as Range<UInt8> { #expect(try store.database.get(.transfers, [task]) == Array(0..<10)) }
    }

    @Test("One that the server refuses only for now is made later", arguments: ["40001", "40P01", "55P03", "53300"])
    func refusedForNow(_ state: String) async throws {
        let bench = try StoreBench()
        let store = try bench.open()
        try bench.run(
            """
            create function refuse() returns trigger language plpgsql as $$
            begin raise exception 'not now' using errcode = '\(state)'; end $$;
            create trigger refuse before insert or update on transfers for each row
            when (new.key = 'tally'::bytea) execute function refuse()
            """)
        async let late: Void = store.count(.growth)
        try await StoreBench.wait("it is refused") { store.trouble?.code == .unavailable }
        try bench.run("drop trigger refuse on transfers")
        try await late
        #expect(try store.counted() == 1)
        #expect(store.trouble == nil)
    }
}
