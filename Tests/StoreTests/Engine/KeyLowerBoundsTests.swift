import Kaspa
import Testing

@testable import Store

@Suite("Where queues begin")
struct KeyLowerBoundsTests {
    private let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func lowerBound(_ family: ColumnFamily) async throws -> [UInt8] {
        try await fixture.store.write { $0.lowerBound(of: family) }
    }

    @Test("A row put below is found, one above changes nothing, and a failed transaction leaves no trace")
    func notes() async throws {
        let store = fixture.store
        #expect(try await lowerBound(.deadLetters) == [])
        try await store.write { transaction in
            transaction.note(nothingBelow: [5], in: .deadLetters)
            transaction.put(.deadLetters, [5, 1], [])
            #expect(transaction.lowerBound(of: .deadLetters) == [5])
        }
        await #expect(throws: StoreError.self) {
            try await store.write { (transaction) throws(StoreError) in
                transaction.put(.deadLetters, [1], [])
                transaction.note(nothingBelow: [9], in: .deadLetters)
                throw StoreError(.corrupt, "a damaged row")
            }
        }
        #expect(try await lowerBound(.deadLetters) == [5])
        try await store.write { (transaction) throws(StoreError) in
            transaction.put(.deadLetters, [4, 9], [])
            #expect(try transaction.first(.deadLetters) { Array($0.key) } == [4, 9])
        }
        #expect(try await lowerBound(.deadLetters) == [4, 9])
        #expect(try await lowerBound(.unconfirmed) == [])
        #expect(try await fixture.untrueInMemory() == [])
    }

    @Test(
        "Other families are looked at from their beginning",
        .rocksDBAlone("it writes keys that no column of PostgreSQL's holds"))
    func others() async throws {
        let kept = ColumnFamily.allCases.filter(KeyLowerBounds.areKept)
        #expect(kept == [.deadLetters, .unconfirmed, .usedNonces])
        for family in ColumnFamily.allCases where !kept.contains(family) {
            try await fixture.store.write { $0.put(family, [UInt8](repeating: 0xfe, count: WatchKey.prefixBytes), []) }
            #expect(try await lowerBound(family) == [])
        }
    }

    @Test("What is confirmed is told once, also when the chain falls back and rises again")
    func confirmations() async throws {
        let store = fixture.store
        func confirmed() async throws -> Int {
            try await store.history.changes(after: 0, limit: 100).filter { $0.kind == .confirmed }.count
        }
        try await fixture.accept(1)
        // Blue scores are 500 and the block's number; a hundred make a confirmation.
        for cursor in [100, 101, 102] {
            _ = try await store.history.apply(Sample.step(cursor: cursor), now: 5_000, withdrawsUnsent: false)
        }
        #expect(try await confirmed() == 1)
        #expect(try await lowerBound(.unconfirmed) == UnconfirmedItem.bound(through: 502))
        // Another branch, whose blocks have lower scores: what it accepts stands below what was looked at.
        _ = try await store.history.apply(
            Sample.step(removed: [102, 101, 100], accepting: [Sample.operation(2, acceptedIn: 2)], cursor: 50),
            now: 5_000, withdrawsUnsent: false)
        #expect(try await confirmed() == 1)
        #expect(try await lowerBound(.unconfirmed) == UnconfirmedItem.key(502, Sample.transaction(2)))
        _ = try await store.history.apply(Sample.step(cursor: 101), now: 5_000, withdrawsUnsent: false)
        #expect(try await confirmed() == 1)
        _ = try await store.history.apply(Sample.step(cursor: 102), now: 5_000, withdrawsUnsent: false)
        #expect(try await confirmed() == 2)
        #expect(try await fixture.untrueInMemory() == [])
    }

    @Test("The oldest dead letters go, in order, when there are too many")
    func deadLetters() async throws {
        var limits = StoreLimits()
        limits.deadLetters = 2
        let fixture = try StoreFixture(limits: limits)
        let device = try await fixture.deviceWithDeliveries(5)
        for number in 1...5 {
            let place = try #require(try await fixture.place(device))
            _ = try await fixture.store.outbox.settle(
                [Settlement(key: place, transactionID: Sample.transaction(number), next: .done, ending: .dead)],
                now: 7_000)
            let letters = try await fixture.store.outbox.deadLetters(limit: 10).map(\.entry.transactionID)
            #expect(letters == (max(1, number - 1)...number).map { Sample.transaction($0) })
            #expect(try await fixture.untrueInMemory() == [])
        }
    }
}
