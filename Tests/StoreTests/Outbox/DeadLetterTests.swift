import KasiaProtocol
import Kaspa
import Testing

import StoreSupport

@testable import Store

@Suite("Dead letters and books")
struct DeadLetterTests {
    private let id = Sample.id(1)

    /// Ends the device's first waiting delivery.
    private func end(
        _ fixture: StoreFixture, _ ending: DeliveryLogEntry.State, _ effect: Settlement.DeviceEffect = .none,
        reason: String = "BadTopic"
    ) async throws {
        let place = try #require(try await fixture.place(id))
        let delivery = try #require(
            try await fixture.store.outbox.deliveries(of: id, limit: 9).first { $0.seq == place.seq })
        _ = try await fixture.store.outbox.settle(
            [
                Settlement(
                    key: place, transactionID: delivery.transactionID, next: .done, effect: effect, ending: ending,
                    reason: reason)
            ], now: 7_000)
    }

    private func expectSound(_ fixture: StoreFixture) throws {
        let check = try fixture.store.checkBooks()
        #expect(check.isSound, "\(check.problems)")
    }

    @Test("Only what was given up leaves a letter, with its reason", arguments: DeliveryLogEntry.State.allCases)
    func leavesLetter(_ ending: DeliveryLogEntry.State) async throws {
        guard ending != .queued else { return }
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(1)
        try await end(fixture, ending)
        let letters = try await fixture.store.outbox.deadLetters(limit: 9)
        #expect(letters.count == (ending == .dead || ending == .expired ? 1 : 0))
        for letter in letters {
            #expect(letter.entry.state == ending && letter.entry.reason == "BadTopic" && letter.entry.attempts == 1)
            #expect(letter.entry.device == id && letter.entry.seq == 1 && letter.entry.changedAt == 7_000)
            #expect(letter.delivery.transactionID == Sample.transaction(1))
        }
        try expectSound(fixture)
    }

    @Test("The newest letters are kept: at the limit, below it and beyond", arguments: [2, 3, 4])
    func limit(count: Int) async throws {
        var limits = StoreLimits()
        limits.deadLetters = 3
        let fixture = try StoreFixture(limits: limits)
        _ = try await fixture.deviceWithDeliveries(count)
        for _ in 0..<count { try await end(fixture, .dead) }
        let letters = try await fixture.store.outbox.deadLetters(limit: 9)
        #expect(letters.map(\.entry.seq) == (max(1, count - 2)...count).map { UInt64($0) })
        #expect(try await fixture.store.outbox.books().deadLetters == UInt64(min(count, 3)))
        #expect(try await fixture.store.outbox.books().deliveriesDead == UInt64(count))
        try expectSound(fixture)
        #expect(StoreLimits().deadLetters == 100_000 && StoreLimits.logAge == 604_800_000)
    }

    @Test("Letters are pruned with the log, and gone with their device")
    func goes() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(2)
        for _ in 0..<2 { try await end(fixture, .expired) }
        #expect(try await fixture.store.outbox.pruneDeliveryLog(before: 5_001, limit: 1) == 1)
        #expect(try await fixture.store.outbox.deadLetters(limit: 9).map(\.entry.seq) == [2])
        try expectSound(fixture)
        try await fixture.store.registry.removeDevice(id)
        #expect(try await fixture.store.outbox.deadLetters(limit: 9).isEmpty)
        #expect(try StoreDump(fixture.store).families(containing: id.bytes) == [])
        try expectSound(fixture)
    }

    @Test("A retry puts letters back, oldest first, under their old numbers", arguments: [1, 2, 3])
    func retry(limit: Int) async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(2)
        try await end(fixture, .dead)
        try await end(fixture, .expired)
        let count = try await fixture.store.outbox.retryDeadLetters(limit: limit, now: 8_000, expiresAt: 50_000).retried
        #expect(count == min(limit, 2))
        let waiting = try await fixture.store.outbox.waitingDeliveries(limit: 9)
        #expect(waiting.map(\.delivery.seq) == (1...count).map { UInt64($0) })
        #expect(waiting.allSatisfy { $0.delivery.expiresAt == 50_000 && $0.entry?.state == .queued })
        #expect(waiting.map(\.due) == Array([8_000, nil] as [UInt64?]).prefix(count).map { $0 })
        try expectSound(fixture)
        // They are sent in order, and the books close.
        for _ in 0..<count { try await end(fixture, .delivered) }
        #expect(try await fixture.store.totals().deliveries == 0)
        #expect(try await fixture.store.outbox.books().deliveriesDelivered == UInt64(count))
        try expectSound(fixture)
    }

    @Test(
        "What the chain has taken out is not told again, and its correction not once it is back",
        arguments: [1, 2, 3], ["out", "back", "forgotten", "damaged"])
    func untrue(limit: Int, payments: String) async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        try await fixture.register(Sample.device(1, watching: [Sample.address(1)]))
        func accept(_ numbers: [Int], in block: Int, removed: [Int] = [], now: UInt64) async throws {
            let step = Sample.step(
                removed: removed,
                accepting: numbers.map {
                    Sample.operation($0, kind: .payment, receiver: Sample.address(1), acceptedIn: block)
                }, cursor: block)
            _ = try await store.history.apply(step, now: now, withdrawsUnsent: false, retractsPayments: true)
        }
        try await accept([1], in: 1, now: 5_000)
        try await accept([2], in: 2, now: 5_001)
        for event in 1...2 { try await fixture.fanOut(event: UInt64(event)) }
        for ending in [DeliveryLogEntry.State.delivered, .dead] { try await end(fixture, ending) }
        // The first, which was told, is corrected; the second was not told.
        try await accept([], in: 3, removed: [1, 2], now: 6_000)
        #expect(try await store.outbox.retractDue(now: 900_000, knownUntil: .max, limit: 9).enqueued == 2)
        var told = 0
        for event in 3...4 as ClosedRange<UInt64> {
            told += try await store.outbox.fanOutRetraction(
                event: event, limit: 9, ordinaryWatchers: 9, now: 900_000, expiresAt: 950_000,
                decide: Sample.correction
            ).notified
        }
        #expect(told == 1)
        try await end(fixture, .dead)
        // Of what is not known any more, it is believed that the chain has it.
        let isBack = payments != "out"
        if payments == "back" { try await accept([1, 2], in: 4, now: 910_000) }
        if ["forgotten", "damaged"].contains(payments) {
            try await store.write { (transaction) throws(StoreError) in
                for number in 1...2 {
                    let key = Sample.transaction(number).bytes
                    if payments == "damaged" {
                        transaction.put(.operations, key, [0xff])
                    } else {
                        transaction.delete(.operations, key)
                    }
                }
            }
        }
        let result = try await store.outbox.retryDeadLetters(limit: limit, now: 920_000, expiresAt: 950_000)
        // Oldest first: the push about the second payment, the correction of the first.
        #expect(result.retried == 1)
        #expect(result.untrue == (isBack ? (limit == 1 ? 0 : 1) : 1))
        let waiting = try await store.outbox.waitingDeliveries(limit: 9).map(\.delivery.kind)
        #expect(waiting == [isBack ? .payment : .paymentReverted])
        #expect(
            try await store.outbox.deadLetters(limit: 9).map(\.delivery.kind) == [isBack ? .paymentReverted : .payment])
        if ["out", "back"].contains(payments) { try expectSound(fixture) }
    }

    @Test("A retried letter waits behind what its device is waiting for already")
    func retryBehind() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(2)
        try await end(fixture, .dead)
        #expect(try await fixture.store.outbox.retryDeadLetters(limit: 9, now: 8_000, expiresAt: 50_000).retried == 1)
        #expect(try await fixture.place(id)?.seq == 2)
        try expectSound(fixture)
        try await end(fixture, .delivered)
        #expect(try await fixture.place(id)?.seq == 1)
        try expectSound(fixture)
    }

    @Test("Each event and delivery is in one state, from the first to the last")
    func books() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(4)
        try await fixture.accept(9)
        var books = try await fixture.store.outbox.books()
        #expect(books.eventsCreated == 5 && books.eventsFannedOut == 4 && books.eventsQueued == 1)
        #expect(books.deliveriesCreated == 4 && books.deliveriesQueued == 4)
        _ = try await fixture.store.history.apply(
            Sample.step(removed: [9], cursor: 8), now: 6_000, withdrawsUnsent: true)
        try await end(fixture, .delivered)
        try await end(fixture, .suppressed)
        // The device goes with this answer: what else waits for it is suppressed.
        try await end(fixture, .dead, .gone(at: .max))
        books = try await fixture.store.outbox.books()
        #expect(books.eventsCreated == 5 && books.eventsFannedOut == 4 && books.eventsWithdrawn == 1)
        #expect(books.deliveriesDelivered == 1 && books.deliveriesDead == 1 && books.deliveriesSuppressed == 2)
        #expect(books.balance)
        try expectSound(fixture)
    }

    @Test(
        "The check finds a row without its counterpart, and a wrong count",
        arguments: [
            (ColumnFamily.schedule, "place"), (.deliveries, "wait"), (.deliveryLog, "log"),
            (.deliveryLogByTime, "time"), (.deviceStates, "state"), (.watchers, "watch index"),
            (.operations, "acceptance"), (.enqueued, "marker"), (.enqueuedByTime, "marker"),
            (.devices, "not registered"), (.deadLetters, "count_dead_letters"),
        ])
    func check(family: ColumnFamily, word: String) async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(2)
        try await end(fixture, .dead)
        try expectSound(fixture)
        let keys = try StoreDump(fixture.store).keys(family)
        try await fixture.store.write { (transaction) throws(StoreError) in
            for key in keys { transaction.delete(family, key) }
        }
        let check = try fixture.store.checkBooks()
        #expect(!check.isSound)
        #expect(check.problems.contains { $0.contains(word) }, "\(check.problems)")
    }

    @Test("A store opened for reading shows what was written, beside its writer, and takes no change")
    func readOnly() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(2)
        let reader = try TestStores.open(fixture.path, readOnly: true)
        #expect(try await reader.totals() == fixture.store.totals())
        #expect(try reader.checkBooks().isSound)
        await #expect(throws: StoreError.self) { try await reader.registry.removeDevice(id) }
        #expect(throws: StoreError.self) {
            try TestStores.open(fixture.directory.file("none"), readOnly: true)
        }
        #expect(throws: StoreError.self) {
            try TestStores.open(fixture.path, network: .testnet(10), readOnly: true)
        }
    }
}
