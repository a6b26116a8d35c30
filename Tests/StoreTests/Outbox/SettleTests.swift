import Kaspa
import Testing

@testable import Store

@Suite("Settling attempts")
struct SettleTests {
    private let fixture: StoreFixture
    private var store: Store { fixture.store }
    private let id = Sample.id(1)

    init() throws { fixture = try StoreFixture() }

    /// Settles the device's scheduled delivery, which is of the transaction with the same number.
    private func settle(
        _ transaction: Int, _ next: Settlement.Next = .done, _ effect: Settlement.DeviceEffect = .none,
        now: UInt64 = 7_000
    ) async throws -> SettlementResult {
        let place = try #require(try await fixture.place(id))
        let results = try await store.outbox.settle(
            [Settlement(key: place, transactionID: Sample.transaction(transaction), next: next, effect: effect)],
            now: now)
        return try #require(results.first)
    }

    private func expectConsistentSchedule(_ comment: Comment? = nil) async throws {
        let places = try await [fixture.place(id)].compactMap { $0 }
        #expect(try fixture.schedule() == places, comment)
    }

    @Test("The results stand in the order of the settlements, whatever the order of their devices")
    func order() async throws {
        let devices = (1...8).map { Sample.device($0, watching: [Sample.address(1)]) }
        for device in devices { try await fixture.register(device) }
        try await fixture.accept(1)
        try await fixture.fanOut(event: 1)
        var settlements: [Settlement] = []
        for (number, device) in devices.enumerated() {
            let place = try #require(try await fixture.place(device.id))
            // Of every other one another delivery was sent, which is not there.
            let transaction = Sample.transaction(number % 2 == 0 ? 1 : 2)
            settlements.append(Settlement(key: place, transactionID: transaction, next: .done))
        }
        let results = try await store.outbox.settle(settlements, now: 7_000)
        #expect(results.map(\.found) == devices.indices.map { $0 % 2 == 0 })
        #expect(settlements.map(\.key.device) != settlements.map(\.key.device).sorted())
    }

    @Test(
        "A finished delivery is gone, and the device's next one is due now in the same lane",
        arguments: [ScheduleKey.Lane.ordinary, .bulk])
    func done(_ lane: ScheduleKey.Lane) async throws {
        try await fixture.register(Sample.device(1, watching: [Sample.address(1)]))
        for number in 1...2 {
            try await fixture.accept(number)
            try await fixture.fanOut(event: UInt64(number), ordinary: lane == .ordinary ? .max : 0)
        }
        let first = try await settle(1, .done, .alive)
        #expect(first.found && first.removedWith == nil && first.attempts == 0)
        #expect(first.scheduled == ScheduleKey(lane: lane, due: 7_000, device: id, seq: 2))
        #expect(try await fixture.place(id) == first.scheduled)
        try await expectConsistentSchedule()
        #expect(try await store.totals().deliveries == 1)
        let second = try await settle(2)
        #expect(second.found && second.scheduled == nil)
        try await expectConsistentSchedule()
        #expect(try await store.totals().deliveries == 0)
        #expect(try await store.outbox.deviceState(id).lastSeq == 2)
        // Numbering goes on.
        try await fixture.accept(3)
        #expect(try await fixture.fanOut(event: 3).scheduled.map(\.seq) == [3])
    }

    @Test(
        "The end of a device's only delivery writes its state only if something else in it changes",
        arguments: [(Settlement.DeviceEffect.none, false), (.alive, false), (.strike(limit: 9, mayRemove: true), true)])
    func onlyOne(_ effect: Settlement.DeviceEffect, isWritten: Bool) async throws {
        _ = try await fixture.deviceWithDeliveries(1)
        let before = try StoreDump(store)[.deviceStates]
        let place = try #require(try await fixture.place(id))
        #expect(try await settle(1, .done, effect).found)
        #expect(try (StoreDump(store)[.deviceStates] != before) == isWritten)
        // Nobody takes it for one that waits.
        var expected = DeviceState()
        (expected.lastSeq, expected.isAccepted) = (1, true)
        if isWritten { expected.strikes = 1 }
        #expect(try await store.outbox.deviceState(id) == expected)
        try await expectConsistentSchedule()
        let again = Settlement(key: place, transactionID: Sample.transaction(1), next: .done)
        #expect(try await store.outbox.settle([again], now: 7_000).map(\.found) == [false])
        #expect(try store.checkBooks().isSound)
        try await fixture.accept(2)
        #expect(try await fixture.fanOut(event: 2).scheduled.map(\.seq) == [2])
        #expect(try await store.outbox.deviceState(id).waiting == 1)
        #expect(try store.checkBooks().isSound)
    }

    @Test("Of two deliveries both ends write it: how many wait is always right while one does")
    func oneOfTwo() async throws {
        _ = try await fixture.deviceWithDeliveries(2)
        #expect(try await settle(1).found)
        let row = try #require(try StoreDump(store)[.deviceStates][id.bytes])
        #expect(try DeviceState(encoded: row).only == 2 && DeviceState.only(row) == 2)
        #expect(try await settle(2).found)
        #expect(try StoreDump(store)[.deviceStates][id.bytes] == row)
        #expect(try await store.outbox.deviceState(id).waiting == 0)
        #expect(try await fixture.untrueInMemory() == [])
    }

    @Test("A delivery that is tried again waits in the bulk lane, and the device's later ones wait behind it")
    func again() async throws {
        _ = try await fixture.deviceWithDeliveries(2)
        let first = try await settle(1, .retry(at: 9_000, omitsPayload: false))
        #expect(first.found && first.attempts == 1)
        #expect(first.scheduled == ScheduleKey(lane: .bulk, due: 9_000, device: id, seq: 1))
        try await expectConsistentSchedule()
        let second = try await settle(1, .retry(at: 9_500, omitsPayload: true))
        #expect(second.attempts == 2)
        let third = try await settle(1, .retry(at: 9_600, omitsPayload: false))
        #expect(third.attempts == 3)
        let waiting = try #require(try await store.outbox.deliveries(of: id, limit: 1).first)
        // Once the payload stays out, it stays out.
        #expect(waiting.seq == 1 && waiting.attempts == 3 && waiting.omitsPayload)
        try await expectConsistentSchedule()
        #expect(try await store.totals().deliveries == 2)
    }

    @Test("The schedule: entries of one lane and partition, in order, from a place on, at most the limit")
    func due() async throws {
        _ = try await fixture.deviceWithDeliveries(1)
        let key = try #require(try await fixture.place(id))
        #expect(key.due == 6_000)
        func entries(
            lane: ScheduleKey.Lane = .ordinary, partition: UInt8? = nil, from start: ScheduleKey? = nil, limit: Int = 9
        ) throws -> [ScheduleKey] {
            try store.outbox.entries(partition: partition ?? id.partition, lane: lane, from: start, limit: limit)
        }
        #expect(try entries() == [key])
        #expect(try entries(limit: 0) == [])
        #expect(try entries(from: key) == [key])
        #expect(try entries(from: ScheduleKey(lane: .ordinary, due: 6_000, device: id, seq: 2)) == [])
        #expect(try entries(lane: .bulk) == [])
        #expect(try entries(partition: (id.partition + 1) % 16) == [])
        let delivery = try #require(try store.outbox.dueDelivery(key))
        #expect(delivery.device.map { DeviceID(token: $0.token) } == id)
        #expect(delivery.payload?.bytes == Sample.operation(1).payload)
        #expect(delivery.delivery.transactionID == Sample.transaction(1))
    }

    @Test("A key that is no longer the device's place names no delivery")
    func staleKey() async throws {
        _ = try await fixture.deviceWithDeliveries(1)
        let old = try #require(try await fixture.place(id))
        _ = try await settle(1, .retry(at: 9_000, omitsPayload: false))
        #expect(try store.outbox.dueDelivery(old) == nil)
        let new = try #require(try await fixture.place(id))
        #expect(try store.outbox.dueDelivery(new)?.delivery.attempts == 1)
        try await store.registry.removeDevice(id)
        #expect(try store.outbox.dueDelivery(new) == nil)
    }

    @Test("Strikes count up to the limit, which removes the device with all that waits", arguments: [1, 2, 3])
    func strikes(_ limit: Int) async throws {
        _ = try await fixture.deviceWithDeliveries(5)
        for strike in 1...limit {
            let result = try await settle(strike, .done, .strike(limit: limit, mayRemove: true))
            if strike < limit {
                #expect(result.removedWith == nil && result.scheduled?.seq == UInt64(strike + 1))
                #expect(try await store.outbox.deviceState(id).strikes == UInt32(strike))
            } else {
                #expect(result.removedWith == 5 - strike && result.scheduled == nil && result.found)
            }
        }
        #expect(try await store.registry.device(id) == nil)
        #expect(try StoreDump(store).families(containing: id.bytes) == [])
        #expect(try await store.totals() == .init(devices: 0, watchEntries: 0, deliveries: 0, events: 0))
    }

    @Test("A success between strikes forgets them; while the guard forbids removal they stand still")
    func strikesForgotten() async throws {
        _ = try await fixture.deviceWithDeliveries(6)
        _ = try await settle(1, .done, .strike(limit: 2, mayRemove: true))
        _ = try await settle(2, .done, .strike(limit: 2, mayRemove: false))
        #expect(try await store.outbox.deviceState(id).strikes == 1)
        _ = try await settle(3, .done, .none)
        #expect(try await store.outbox.deviceState(id).strikes == 1)
        _ = try await settle(4, .done, .alive)
        #expect(try await store.outbox.deviceState(id).strikes == 0)
        #expect(try await settle(5, .done, .strike(limit: 2, mayRemove: true)).removedWith == nil)
        #expect(try await settle(6, .done, .strike(limit: 2, mayRemove: true)).removedWith == 0)
    }

    @Test(
        "A token that is gone takes the device along unless it registered after that time",
        arguments: [(999, false), (1_000, true), (1_001, true), (UInt64.max, true), (0, false)] as [(UInt64, Bool)])
    func gone(_ time: UInt64, _ removes: Bool) async throws {
        try await fixture.register(Sample.device(2, watching: [Sample.address(2)]))
        // Registered, that is last seen, at 1000.
        _ = try await fixture.deviceWithDeliveries(3)
        let result = try await settle(1, .done, .gone(at: time))
        #expect(result.found)
        #expect(result.removedWith == (removes ? 2 : nil))
        #expect(result.scheduled?.seq == (removes ? nil : 2))
        #expect(try await (store.registry.device(id) == nil) == removes)
        #expect(try await store.registry.device(Sample.id(2)) != nil)
        #expect(try await store.totals().deliveries == (removes ? 0 : 2))
        try await expectConsistentSchedule()
    }

    @Test("A delivery that is tried again goes with a device that is removed in the same answer")
    func againAndGone() async throws {
        _ = try await fixture.deviceWithDeliveries(2)
        let result = try await settle(1, .retry(at: 9_000, omitsPayload: false), .gone(at: 5_000))
        #expect(result.removedWith == 2 && result.scheduled == nil)
        #expect(try StoreDump(store).families(containing: id.bytes) == [])
        #expect(try await store.totals().deliveries == 0)
    }

    @Test(
        "An answer for a device that was removed, or removed and came back, touches nothing",
        arguments: [Settlement.Next.done, .retry(at: 9_000, omitsPayload: true)])
    func cameBack(_ next: Settlement.Next) async throws {
        _ = try await fixture.deviceWithDeliveries(1)
        let place = try #require(try await fixture.place(id))
        let settlement = Settlement(
            key: place, transactionID: Sample.transaction(1), next: next, effect: .gone(at: .max))
        try await store.registry.removeDevice(id)
        var dump = try StoreDump(store)
        #expect(try await store.outbox.settle([settlement], now: 1) == [SettlementResult()])
        #expect(try StoreDump(store) == dump)
        // Back again, with another transaction under the same seq.
        try await fixture.register(Sample.device(1, watching: [Sample.address(1)], at: 8_000))
        try await fixture.accept(2)
        try await fixture.fanOut(event: 2)
        #expect(try await fixture.place(id)?.seq == place.seq)
        dump = try StoreDump(store)
        #expect(try await store.outbox.settle([settlement], now: 1) == [SettlementResult()])
        #expect(try StoreDump(store) == dump)
    }

    @Test("An answer that comes under an old place of the same delivery leaves no second entry behind")
    func movedPlace() async throws {
        _ = try await fixture.deviceWithDeliveries(2)
        let old = try #require(try await fixture.place(id))
        _ = try await settle(1, .retry(at: 9_000, omitsPayload: false))
        let results = try await store.outbox.settle(
            [Settlement(key: old, transactionID: Sample.transaction(1), next: .done)], now: 9_500)
        #expect(results.first?.found == true)
        #expect(try await fixture.place(id)?.seq == 2)
        try await expectConsistentSchedule()
    }

    @Test("Only the first waiting delivery can be settled: no other was sent")
    func notFirst() async throws {
        _ = try await fixture.deviceWithDeliveries(2)
        let dump = try StoreDump(store)
        let second = ScheduleKey(lane: .ordinary, due: 6_000, device: id, seq: 2)
        #expect(
            try await store.outbox.settle(
                [Settlement(key: second, transactionID: Sample.transaction(2), next: .done, effect: .alive)], now: 1)
                == [SettlementResult()])
        #expect(try StoreDump(store) == dump)
    }

    @Test("A batch of settlements is one write with results in its order; the same one twice counts once")
    func batch() async throws {
        for number in 1...3 { try await fixture.register(Sample.device(number, watching: [Sample.address(1)])) }
        try await fixture.accept(1)
        let step = try await fixture.fanOut(event: 1)
        let settlements = (step.scheduled + step.scheduled.prefix(1)).map {
            Settlement(key: $0, transactionID: Sample.transaction(1), next: .done, effect: .alive)
        }
        #expect(try await store.outbox.settle(settlements, now: 1).map(\.found) == [true, true, true, false])
        #expect(try await store.totals().deliveries == 0)
        #expect(try fixture.schedule() == [])
        #expect(try await store.outbox.settle([], now: 1) == [])
    }
}
