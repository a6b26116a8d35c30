import Kaspa
import StoreSupport
import Testing

@testable import Store

/// How much waits for one device at most.
@Suite("Bound of a device's queue", .timeLimit(.minutes(5)))
struct QueueBoundTests {
    private static let bound = 4
    private let fixture: StoreFixture
    private var store: Store { fixture.store }
    private let id = Sample.id(1)

    init() throws {
        var limits = StoreLimits()
        limits.queuedPerDevice = UInt32(Self.bound)
        fixture = try StoreFixture(limits: limits)
    }

    private func waiting() async throws -> [UInt64] { try await store.outbox.deliveries(of: id, limit: 99).map(\.seq) }

    private func settle(_ number: Int, _ next: Settlement.Next = .done) async throws -> SettlementResult {
        let place = try #require(try await fixture.place(id))
        return try #require(
            try await store.outbox.settle(
                [Settlement(key: place, transactionID: Sample.transaction(number), next: next, effect: .alive)],
                now: 7_000
            ).first)
    }

    private func queue(_ number: Int) async throws -> FanOutStep {
        try await fixture.accept(number)
        return try await fixture.fanOut(event: UInt64(number))
    }

    @Test(
        "The newest stay, and the first, which may be on its way; the log says of the others that the queue was full",
        arguments: [bound - 1, bound, bound + 1, bound + 5, 100], [false, true])
    func newestStay(count: Int, isForgotten: Bool) async throws {
        _ = try await fixture.deviceWithDeliveries(1)
        var dropped = 0
        for number in 2...count {
            if isForgotten { try await store.write { $0.note(waiting: nil, for: id) } }
            dropped += try await queue(number).dropped
        }
        let beyond = max(0, count - Self.bound)
        #expect(dropped == beyond)
        #expect(try await waiting() == [1] + (UInt64(2 + beyond)...UInt64(count)).map { $0 })
        #expect(try await store.outbox.deviceState(id).waiting == UInt32(count - beyond))
        #expect(
            try await store.outbox.books().suppressedByReason == (beyond > 0 ? ["queue_full": UInt64(beyond)] : [:]))
        let entries = try #require(try await store.outbox.deliveryLog(of: id, after: 0, queuedSince: 0, limit: 999))
            .entries
        #expect(entries.map(\.seq) == (1...UInt64(count)).map { $0 })
        #expect(entries.filter { $0.state == .suppressed }.map(\.seq) == (0..<UInt64(beyond)).map { $0 + 2 })
        #expect(entries.allSatisfy { $0.state != .suppressed || $0.reason == "queue_full" && $0.changedAt == 6_000 })
        #expect(try store.checkBooks().problems == [])
        #expect(try await fixture.untrueInMemory() == [])
        #expect(try await store.repairIndexes(now: 8_000).changedNothing)
    }

    @Test("What is in flight is settled while others are dropped behind it, and the next is the oldest that was kept")
    func inFlight() async throws {
        _ = try await fixture.deviceWithDeliveries(Self.bound)
        let place = try #require(try await fixture.place(id))
        for number in 5...9 { _ = try await queue(number) }
        #expect(try await fixture.place(id) == place)
        #expect(try await waiting() == [1, 7, 8, 9])
        // An answer that says to try again changes nothing about that, and neither does a restart.
        #expect(try await settle(1, .retry(at: 9_000, omitsPayload: false)).found)
        try await store.write { $0.note(waiting: nil, for: id) }
        _ = try await queue(10)
        #expect(try await waiting() == [1, 8, 9, 10])
        #expect(try await settle(1).scheduled?.seq == 8)
        #expect(try await waiting() == [8, 9, 10])
        for number in [8, 9] { #expect(try await settle(number).scheduled?.seq == UInt64(number + 1)) }
        #expect(try await settle(10).scheduled == nil)
        #expect(try await store.outbox.deviceState(id).waiting == 0)
        #expect(try store.checkBooks().problems == [])
        #expect(try await store.outbox.books().deliveriesDelivered == 4)
    }

    @Test("A settlement that comes for what was dropped finds nothing")
    func late() async throws {
        _ = try await fixture.deviceWithDeliveries(Self.bound + 1)
        let key = ScheduleKey(lane: .ordinary, due: 6_000, device: id, seq: 2)
        #expect(try store.outbox.dueDelivery(key) == nil)
        let results = try await store.outbox.settle(
            [Settlement(key: key, transactionID: Sample.transaction(2), next: .done)], now: 7_000)
        #expect(results == [SettlementResult()])
        #expect(try store.checkBooks().problems == [])
    }

    @Test("Dead letters are put back as far as there is room", arguments: [0, 1, 2])
    func letters(room: Int) async throws {
        _ = try await fixture.deviceWithDeliveries(2)
        for number in 1...2 {
            let place = try #require(try await fixture.place(id))
            _ = try await store.outbox.settle(
                [Settlement(key: place, transactionID: Sample.transaction(number), next: .done, ending: .dead)],
                now: 7_000)
        }
        for number in 3..<3 + Self.bound - room { _ = try await queue(number) }
        #expect(try await store.outbox.retryDeadLetters(limit: 9, now: 8_000, expiresAt: 99_000) == (room, 0))
        #expect(try await store.outbox.deviceState(id).waiting == UInt32(Self.bound))
        #expect(try store.checkBooks().problems == [])
        // The oldest behind the first goes, also where that one was put back.
        _ = try await queue(3 + Self.bound - room)
        let first = try #require(try await fixture.place(id)).seq
        #expect(first == 3)
        #expect(try await waiting().contains(1) == false)
        #expect(try store.checkBooks().problems == [])
    }
}

/// Events whose walk is long.
@Suite("Long events", .timeLimit(.minutes(5)))
struct LongEventTests {
    private let fixture: StoreFixture
    private var store: Store { fixture.store }

    init() async throws {
        var limits = StoreLimits()
        limits.longWalk = 3
        fixture = try StoreFixture(limits: limits)
        for number in 1...9 { try await fixture.register(Sample.device(number, watching: [Sample.address(1)])) }
        try await fixture.accept(1)
    }

    @Test("An event is long once so many watchers were looked at, until it is finished", arguments: [2, 3, 4, 10])
    func counted(walked: Int) async throws {
        let step = try await fixture.fanOut(event: 1, limit: walked)
        #expect(step.walked == min(walked, 9) && step.finished == (walked > 9))
        let isLong = walked >= 3 && walked <= 9
        #expect(try await store.totals().longEvents == (isLong ? 1 : 0))
        #expect(
            try await store.outbox.events(after: 0, limit: 9).map { $0.isLong(store.limits) }
                == (walked > 9 ? [] : [isLong]))
        #expect(try store.checkBooks().problems == [])
        try await fixture.fanOut(event: 1)
        let totals = try await store.totals()
        #expect(totals.longEvents == 0 && totals.events == 0)
        #expect(try await store.outbox.books().eventsFannedOut == 1)
    }

    @Test(
        "A long one is given up when its time is over, to the millisecond; one that is not long is walked",
        arguments: [(98_999, 3, false), (99_000, 3, true), (99_001, 3, true), (99_001, 2, false)]
            as [(UInt64, Int, Bool)])
    func expired(now: UInt64, walked: Int, isGivenUp: Bool) async throws {
        try await fixture.fanOut(event: 1, limit: walked)
        let step = try await fixture.fanOut(event: 1, now: now)
        #expect(step.finished && step.isExpired == isGivenUp)
        #expect(step.notified == (isGivenUp ? 0 : 9 - walked))
        let books = try await store.outbox.books()
        #expect(books.eventsExpired == (isGivenUp ? 1 : 0) && books.eventsFannedOut == (isGivenUp ? 0 : 1))
        #expect(try await store.totals().longEvents == 0)
        #expect(try store.checkBooks().problems == [])
        #expect(try await store.repairIndexes(now: 1).changedNothing)
    }

    @Test("A total of long events that is wrong is found and set right")
    func repaired() async throws {
        try await fixture.fanOut(event: 1, limit: 3)
        try await store.write { (transaction) throws(StoreError) in try transaction.adjust(.eventsLong, by: 4) }
        #expect(try store.checkBooks().problems == ["count_events_long says 5, there are 1"])
        #expect(try await store.repairIndexes(now: 1).totals == ["count_events_long said 5, there are 1"])
        #expect(try store.checkBooks().problems == [])
    }

    @Test("A migration counts those of an older store, once", .rocksDBAlone("only RocksDB has had older versions"))
    func migrated() async throws {
        var event = try #require(try await store.outbox.events(after: 0, limit: 1).first)
        var dump = try StoreDump(store)
        event.progress = FanOutProgress(list: 0, walked: StoreLimits().longWalk, last: Sample.id(1))
        dump.rows[.events]?[PushEvent.key(1)] = event.encoded
        dump.rows[.meta]?[MetaKey.schemaVersion] = [0, 0, 0, 3]
        let path = fixture.directory.file("older")
        try StoreRows.write(dump, to: path)
        for _ in 0..<2 {
            let store = try Store(path: path, network: .mainnet)
            #expect(try await store.totals().longEvents == 1)
            #expect(try store.checkBooks().problems == [])
        }
    }
}
