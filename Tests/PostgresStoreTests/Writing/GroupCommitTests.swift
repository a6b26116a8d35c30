import SampleOperations
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

@Suite("Changes that share a transaction", .timeLimit(.minutes(5)))
struct GroupCommitTests {
    @Test("Registrations that wait together take one transaction")
    func registrations() async throws {
        let store = try StoreBench().open()
        let before = store.lastWrite
        let answers = try await store.together(64) { number in
            let device = Samples.device(number, watching: [Samples.alice])
            try await store.registry.upsertDevice(device.id) { _ in device }
        }
        for answer in answers { try answer.get() }
        #expect(store.lastWrite == before + 1)
        #expect(try await store.totals().devices == 64)
        #expect(try await store.registry.watcherCount(.address(Samples.alice), limit: 100) == 64)
        #expect(try store.checkBooks().isSound)
    }

    @Test("Though nobody holds them up, those that come at once share some")
    func concurrent() async throws {
        let store = try StoreBench().open()
        let before = store.lastWrite
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let device = Samples.device(number, watching: [Samples.bob])
                    try await store.registry.upsertDevice(device.id) { _ in device }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.lastWrite - before < 32)
        #expect(try await store.totals().devices == 64)
    }

    @Test("256 share one, and the 257th takes another", arguments: [(255, 1), (256, 1), (257, 2)])
    func most(_ changes: Int, _ transactions: Int) async throws {
        let store = try StoreBench().open()
        let before = store.lastWrite
        for answer in try await store.together(changes, { _ in try await store.count() }) { try answer.get() }
        #expect(try store.counted() == UInt64(changes))
        #expect(store.lastWrite == before + UInt64(transactions))
    }

    @Test("One that throws leaves nothing behind, also for those after it in the transaction")
    func throwing() async throws {
        let store = try StoreBench().open()
        let before = store.lastWrite
        let answers = try await store.together(9) { number in
            guard number % 3 == 1 else { return try await store.count() }
            try await store.write(.growth) { (transaction) throws(StoreError) in
                try transaction.adjust(.eventsCreated, by: 100)
                transaction.put(.transfers, [1], [1])
                throw StoreError(.corrupt, "thrown by the test")
            }
        }
        for (number, answer) in answers.enumerated() {
            let code = await StoreBench.failure { () throws(StoreError) in
                do { try answer.get() } catch { throw error as? StoreError ?? StoreError(.engine, "\(error)") }
            }?.code
            #expect(code == (number % 3 == 1 ? .corrupt : nil))
        }
        #expect(try store.counted() == 6)
        #expect(try store.database.get(.transfers, [1]) == nil)
        #expect(store.lastWrite == before + 1)
    }

    @Test("When all of them throw, there is no transaction")
    func allThrow() async throws {
        let store = try StoreBench().open()
        let before = store.lastWrite
        let answers = try await store.together(3) { _ in
            try await store.write(.growth) { (transaction) throws(StoreError) in
                transaction.put(.transfers, [1], [1])
                throw StoreError(.corrupt, "thrown by the test")
            }
        }
        for answer in answers { #expect(throws: StoreError(.corrupt, "thrown by the test")) { try answer.get() } }
        #expect(try store.database.get(.transfers, [1]) == nil)
        #expect(store.lastWrite == before)
    }
}
