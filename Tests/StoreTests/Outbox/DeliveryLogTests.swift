import KasiaProtocol
import Kaspa
import Testing

@testable import Store

@Suite("The log of what a device was told")
struct DeliveryLogTests {
    private let id = Sample.id(1)

    private func page(
        _ fixture: StoreFixture, after seq: UInt64 = 0, since time: UInt64 = 0, limit: Int = 100
    ) async throws -> DeliveryLogPage {
        try #require(try await fixture.store.outbox.deliveryLog(of: id, after: seq, queuedSince: time, limit: limit))
    }

    @Test("A delivery is in the log from the moment it is queued, and what becomes of it follows")
    func fates() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(2)
        var page = try await page(fixture)
        #expect(page.latestSeq == 2 && page.oldestSeq == 1)
        #expect(page.entries.map(\.seq) == [1, 2])
        #expect(page.entries.allSatisfy { $0.state == .queued && $0.attempts == 0 && $0.changedAt == 0 })
        #expect(page.entries[0].transactionID == Sample.transaction(1) && page.entries[0].queuedAt == 5_000)

        let first = try #require(try await fixture.place(id))
        let again = Settlement(
            key: first, transactionID: Sample.transaction(1), next: .retry(at: 9_000, omitsPayload: false),
            ending: .queued, reason: "ServiceUnavailable")
        _ = try await fixture.store.outbox.settle([again], now: 7_000)
        page = try await self.page(fixture, limit: 1)
        #expect(page.entries.map(\.state) == [.queued])
        #expect(page.entries.map(\.reason) == ["ServiceUnavailable"])
        #expect(page.entries.map(\.attempts) == [1] && page.entries.map(\.changedAt) == [7_000])

        let last = try #require(try await fixture.place(id))
        let expired = Settlement(
            key: last, transactionID: Sample.transaction(1), next: .done, ending: .expired, wasSent: false)
        _ = try await fixture.store.outbox.settle([expired], now: 8_000)
        page = try await self.page(fixture, limit: 1)
        #expect(page.entries.map(\.state) == [.expired])
        // What Apple said last is why it came so far.
        #expect(page.entries.map(\.reason) == ["ServiceUnavailable"])
        #expect(page.entries.map(\.attempts) == [1] && page.entries.map(\.changedAt) == [8_000])
    }

    @Test("The newest rows of a device are kept: at the limit, below it and beyond", arguments: [2, 3, 4])
    func perDevice(count: Int) async throws {
        var limits = StoreLimits()
        limits.logPerDevice = 3
        let fixture = try StoreFixture(limits: limits)
        _ = try await fixture.deviceWithDeliveries(count)
        let page = try await page(fixture)
        let kept = (max(1, count - 2)...count).map { UInt64($0) }
        #expect(page.entries.map(\.seq) == kept)
        #expect(page.latestSeq == UInt64(count) && page.oldestSeq == kept.first)
        let dump = try StoreDump(fixture.store)
        #expect(dump.keys(.deliveryLogByTime).count == kept.count)
        #expect(StoreLimits().logPerDevice == 1_000)
    }

    @Test(
        "A page begins after the number asked for, and ends at its limit",
        arguments: [
            (0, 1, [1]), (0, 4, [1, 2, 3, 4]), (0, 5, [1, 2, 3, 4, 5]), (0, 6, [1, 2, 3, 4, 5]), (3, 9, [4, 5]),
            (4, 9, [5]), (5, 9, []), (6, 9, []), (UInt64.max, 9, []),
        ] as [(UInt64, Int, [UInt64])])
    func pages(after: UInt64, limit: Int, seqs: [UInt64]) async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(5)
        let page = try await page(fixture, after: after, limit: limit)
        #expect(page.entries.map(\.seq) == seqs)
        #expect(page.latestSeq == 5 && page.oldestSeq == 1)
    }

    @Test(
        "What was queued before the time asked for is left out, to the millisecond", arguments: [4_999, 5_000, 5_001])
    func age(since: UInt64) async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(1)
        let page = try await page(fixture, since: since)
        #expect(page.entries.count == (since <= 5_000 ? 1 : 0))
        #expect(page.oldestSeq == (since <= 5_000 ? 1 : nil))
        #expect(page.latestSeq == 1)
    }

    @Test("Pruning takes the oldest rows, so many a call, and none that is young enough")
    func prune() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(3)
        for _ in 0..<3 { try await end(fixture) }
        #expect(try await fixture.store.outbox.pruneDeliveryLog(before: 5_000, limit: 9) == 0)
        #expect(try await fixture.store.outbox.pruneDeliveryLog(before: 5_001, limit: 2) == 2)
        #expect(try await page(fixture).entries.map(\.seq) == [3])
        #expect(try await fixture.store.outbox.pruneDeliveryLog(before: 5_001, limit: 2) == 1)
        #expect(try await page(fixture).oldestSeq == nil)
        #expect(try fixture.store.checkBooks().isSound)
    }

    @Test("Pruning leaves what waits, whether it was tried or not")
    func pruneWaiting() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(3)
        try await end(fixture)
        try await end(fixture, .retry(at: 9_000, omitsPayload: false))
        #expect(try await fixture.store.outbox.pruneDeliveryLog(before: .max, limit: 9) == 1)
        #expect(try await page(fixture).entries.map(\.seq) == [2, 3])
        for _ in 0..<2 { try await end(fixture) }
        #expect(try await page(fixture).entries.map(\.state) == [.delivered, .delivered])
        #expect(try fixture.store.checkBooks().isSound)
    }

    /// Ends the device's first delivery, or what else is to come of it.
    private func end(
        _ fixture: StoreFixture, _ next: Settlement.Next = .done, _ ending: DeliveryLogEntry.State = .delivered,
        now: UInt64 = 7_000
    ) async throws {
        let place = try #require(try await fixture.place(id))
        let settlement = Settlement(
            key: place, transactionID: Sample.transaction(Int(place.seq)), next: next, ending: ending)
        let result = try await fixture.store.outbox.settle([settlement], now: now)
        #expect(result.map(\.found) == [true])
    }

    @Test(
        "What ends a day late is in the log though its day is gone from it", arguments: [-1, 0, 1],
        [DeliveryLogEntry.State.delivered, .dead])
    func endsLate(more: Int64, ending: DeliveryLogEntry.State) async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(1)
        let time = try #require(try StoreDump(fixture.store).keys(.deliveryLogByTime).first)
        if more >= 0 { try await fixture.store.write { $0.delete(.deliveryLogByTime, time) } }
        try await end(fixture, .retry(at: 9_000, omitsPayload: false), now: UInt64(Int64(5_000 + LogDay.length) + more))
        try await end(fixture, .done, ending, now: UInt64(Int64(5_000 + LogDay.length) + more))
        #expect(try await page(fixture).entries.map(\.state) == [ending])
        #expect(try StoreDump(fixture.store).keys(.deliveryLogByTime) == [time])
        #expect(try fixture.store.checkBooks().isSound)
        #expect(try await fixture.store.outbox.pruneDeliveryLog(before: 5_001, limit: 9) == 1)
        #expect(try fixture.store.checkBooks().isSound)
    }

    @Test("What waits stands between what has ended, in the order of the numbers")
    func order() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(4)
        try await end(fixture)
        try await end(fixture, .retry(at: 9_000, omitsPayload: false))
        var entries = try await page(fixture).entries
        #expect(entries.map(\.seq) == [1, 2, 3, 4])
        #expect(entries.map(\.state) == [.delivered, .queued, .queued, .queued])
        #expect(entries.map(\.attempts) == [1, 1, 0, 0])
        try await end(fixture)
        try await end(fixture)
        entries = try await page(fixture, after: 1, limit: 2).entries
        #expect(entries.map(\.seq) == [2, 3] && entries.map(\.state) == [.delivered, .delivered])
        for limit in 1...5 {
            let page = try await page(fixture, limit: limit)
            #expect(page.entries.map(\.seq) == (1...min(limit, 4)).map { UInt64($0) })
        }
    }

    @Test("A row that an older version wrote of what waits is told once, and goes with its delivery")
    func olderRow() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(2)
        let waiting = try await fixture.store.outbox.deliveries(of: id, limit: 9)
        try await fixture.store.write { transaction in
            for delivery in waiting {
                transaction.put(.deliveryLog, delivery.key, DeliveryLogEntry(delivery).encoded)
            }
        }
        #expect(try fixture.store.checkBooks().isSound)
        #expect(try await page(fixture).entries.map(\.seq) == [1, 2])
        try await end(fixture)
        try await end(fixture)
        #expect(try await page(fixture).entries.map(\.state) == [.delivered, .delivered])
        #expect(try fixture.store.checkBooks().isSound)
    }

    @Test("An unregister takes the whole log with it, and a device that comes back numbers from 1")
    func removal() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(3)
        try await fixture.store.registry.removeDevice(id)
        #expect(try await fixture.store.outbox.deliveryLog(of: id, after: 0, queuedSince: 0, limit: 9) == nil)
        #expect(try StoreDump(fixture.store).families(containing: id.bytes) == [])
        try await fixture.register(Sample.device(1, watching: [Sample.address(1)]))
        try await fixture.accept(9)
        try await fixture.fanOut(event: 4)
        #expect(try await page(fixture).entries.map(\.seq) == [1])
    }

    @Test("A reason is cut at its limit", arguments: [63, 64, 65])
    func longReason(length: Int) throws {
        var entry = DeliveryLogEntry(
            Delivery(
                device: id, seq: 1,
                event: PushEvent(
                    number: 1, transactionID: .zero, kind: .payment, sender: nil, receiver: nil, amount: 0,
                    blockTime: 0, acceptance: Sample.acceptance(1), queuedAt: 0), expiresAt: 0))
        entry.reason = String(repeating: "r", count: length)
        let stored = try DeliveryLogEntry(device: id, seq: 1, encoded: entry.encoded, network: .mainnet)
        #expect(stored.reason.count == min(length, 64))
    }
}
