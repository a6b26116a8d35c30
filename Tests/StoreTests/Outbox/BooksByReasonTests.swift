import Kaspa
import Testing

@testable import Store
import StoreSupport

@Suite("The books by reason", .timeLimit(.minutes(5)))
struct BooksByReasonTests {
    @Test(
        "A reason is counted with the total, survives a restart, and goes down when a dead letter is tried again",
        .rocksDBAlone("the directory is copied"))
    func settled() async throws {
        let fixture = try StoreFixture()
        let id = try await fixture.deviceWithDeliveries(3)
        for number in 1...3 {
            let key = try #require(try await fixture.place(id))
            _ = try await fixture.store.outbox.settle(
                [
                    Settlement(
                        key: key, transactionID: Sample.transaction(number), next: .done,
                        ending: number == 3 ? .suppressed : .dead,
                        reason: number == 3 ? "operation_gone" : "BadCollapseId")
                ], now: 7_000)
        }
        let copy = try Store(path: try fixture.copyFiles(to: "crashed"), network: .mainnet)
        for store in [fixture.store, copy] {
            let books = try await store.outbox.books()
            #expect(books.deadByReason == ["BadCollapseId": 2])
            #expect(books.suppressedByReason == ["operation_gone": 1])
            #expect(books.balance)
        }
        #expect(try await fixture.store.outbox.retryDeadLetters(limit: 1, now: 8_000, expiresAt: 99_000).retried == 1)
        #expect(try await fixture.store.outbox.books().deadByReason == ["BadCollapseId": 1])
        #expect(try fixture.store.checkBooks().isSound)
    }

    @Test("What waits goes with its device, and whom the rules leave out is counted under their reason")
    func suppressed() async throws {
        let fixture = try StoreFixture()
        let id = try await fixture.deviceWithDeliveries(2)
        try await fixture.store.registry.removeDevice(id)
        try await fixture.register(Sample.device(2, watching: [Sample.address(1)]))
        try await fixture.accept(3)
        _ = try await fixture.store.outbox.fanOut(
            event: 3, lists: [.address(Sample.address(1))], limit: 9, ordinaryWatchers: 9, now: 1, expiresAt: 2
        ) { _, _ in .suppress(.otherAlias) }
        #expect(try await fixture.store.outbox.books().suppressedByReason == ["device_removed": 2, "other_alias": 1])
        #expect(try fixture.store.checkBooks().isSound)
    }

    @Test("Beyond 64 reasons the rest is \"other\"", arguments: [63, 64, 65, 66])
    func bound(count: Int) async throws {
        let fixture = try StoreFixture()
        try await fixture.store.write { (transaction) throws(StoreError) in
            for number in 0..<count {
                try transaction.adjust(.deliveriesDead, by: 1)
                try transaction.adjust(.deliveriesDead, reason: "reason \(number)", by: 1)
            }
        }
        let parts = try await fixture.store.outbox.books().deadByReason
        #expect(parts.count == min(count, 65))
        #expect(parts["other"] == (count > 64 ? UInt64(count - 64) : nil))
        #expect(parts.values.reduce(0, +) == UInt64(count))
    }

    @Test("A part that a store never counted does not go below zero")
    func unknownPart() async throws {
        let fixture = try StoreFixture()
        try await fixture.store.write { (transaction) throws(StoreError) in
            try transaction.adjust(.deliveriesDead, reason: "never seen", by: -1)
            try transaction.adjust(.deliveriesDead, reason: "seen", by: 1)
            try transaction.adjust(.deliveriesDead, reason: "seen", by: -2)
        }
        #expect(try await fixture.store.outbox.books().deadByReason == ["seen": 0])
    }
}
