import Kaspa
import Testing

@testable import Store

/// A token that Apple has never accepted may be made up.
@Suite("Probation", .timeLimit(.minutes(5)))
struct ProbationTests {
    private let fixture: StoreFixture
    private var store: Store { fixture.store }
    private let id = Sample.id(1)
    private static let weekLength: UInt64 = 604_800_000

    init() throws { fixture = try StoreFixture() }

    private func settle(
        _ number: Int, _ effect: Settlement.DeviceEffect, next: Settlement.Next = .done, now: UInt64 = 7_000
    ) async throws -> SettlementResult {
        let place = try #require(try await fixture.place(id))
        let settlement = Settlement(
            key: place, transactionID: Sample.transaction(number), next: next, effect: effect, ending: .dead)
        return try #require(try await store.outbox.settle([settlement], now: now).first)
    }

    @Test(
        "A hundred deliveries wait at most, two hundred more are in the log; beyond that nothing leaves a row, and all is counted",
        arguments: [99, 100, 101, 299, 300, 301])
    func hundredWait(count: Int) async throws {
        _ = try await fixture.deviceWithDeliveries(count, onProbation: true)
        let (kept, numbered) = (min(count, 100), min(count, 300))
        #expect(try await store.outbox.deliveries(of: id, limit: 999).map(\.seq) == (1...UInt64(kept)).map { $0 })
        let state = try await store.outbox.deviceState(id)
        #expect(state.lastSeq == UInt64(numbered) && state.waiting == UInt32(kept))
        let log = try #require(try await store.outbox.deliveryLog(of: id, after: 0, queuedSince: 0, limit: 999)).entries
        #expect(log.map(\.seq) == (1...UInt64(numbered)).map { $0 })
        #expect(log.dropFirst(kept).allSatisfy { $0.state == .suppressed && $0.reason == "on_probation" })
        let beyond = UInt64(count - kept)
        #expect(try await store.outbox.books().suppressedByReason["on_probation", default: 0] == beyond)
        #expect(try fixture.schedule().map(\.lane) == [.probation])
        #expect(try store.checkBooks().problems == [])
    }

    @Test("Of a token that Apple has refused five wait at most", arguments: [4, 5, 6])
    func fiveWait(waiting: Int) async throws {
        _ = try await fixture.deviceWithDeliveries(waiting + 1, onProbation: true)
        _ = try await settle(1, .unaccepted)
        #expect(try await store.outbox.deviceState(id).waiting == UInt32(waiting))
        try await fixture.accept(waiting + 2)
        let news = try await fixture.fanOut(event: UInt64(waiting + 2))
        #expect(news.notified == (waiting < 5 ? 1 : 0))
        #expect(news.suppressed[.onProbation, default: 0] == (waiting < 5 ? 0 : 1))
        #expect(try store.checkBooks().problems == [])
    }

    @Test("All of it stands in the lowest lane, retries too, until Apple accepts one: the next is an ordinary delivery")
    func lanes() async throws {
        _ = try await fixture.deviceWithDeliveries(3, onProbation: true)
        let again = try await settle(1, .none, next: .retry(at: 9_000, omitsPayload: false))
        #expect(again.scheduled?.lane == .probation && again.scheduled?.due == 9_000)
        let refused = try await settle(1, .unaccepted)
        #expect(refused.scheduled == ScheduleKey(lane: .probation, due: 7_000, device: id, seq: 2))
        #expect(try await store.outbox.deviceState(id).unacceptedSince == 7_000)
        let accepted = try await settle(2, .alive)
        #expect(accepted.scheduled == ScheduleKey(lane: .ordinary, due: 7_000, device: id, seq: 3))
        let state = try await store.outbox.deviceState(id)
        #expect(state.isAccepted && state.unacceptedSince == nil)
        #expect(try await settle(3, .none, next: .retry(at: 9, omitsPayload: false)).scheduled?.lane == .bulk)
        #expect(try store.checkBooks().problems == [])
    }

    @Test("The guard does not protect it, and a renewal forgets neither strikes nor probation")
    func struck() async throws {
        _ = try await fixture.deviceWithDeliveries(5, onProbation: true)
        _ = try await settle(1, .strike(limit: 3, mayRemove: false))
        _ = try await settle(2, .strike(limit: 3, mayRemove: false))
        try await fixture.register(Sample.device(1, watching: [Sample.address(1)]), onProbation: true)
        #expect(try await store.outbox.deviceState(id).strikes == 2)
        #expect(try await !store.outbox.deviceState(id).isAccepted)
        #expect(try await settle(3, .strike(limit: 3, mayRemove: false)).removedWith == 2)
        #expect(try await store.registry.device(id) == nil)
        #expect(try store.checkBooks().problems == [])
    }

    @Test("A token that was accepted, is removed and registers again is on probation again")
    func registersAgain() async throws {
        _ = try await fixture.deviceWithDeliveries(1)
        #expect(try await store.outbox.deviceState(id).isAccepted)
        try await fixture.register(Sample.device(1), onProbation: true)
        #expect(try await store.outbox.deviceState(id).isAccepted)
        try await store.registry.removeDevice(id)
        try await fixture.register(Sample.device(1), onProbation: true)
        #expect(try await store.outbox.deviceState(id) == DeviceState())
    }

    @Test(
        "A week after the first refusal the next one ends it, if none was accepted meanwhile",
        arguments: [
            (weekLength - 1, false, true), (weekLength, false, false), (weekLength + 1, false, false),
            (weekLength + 1, true, true),
        ])
    func week(later: UInt64, isAccepted: Bool, isKept: Bool) async throws {
        _ = try await fixture.deviceWithDeliveries(4, onProbation: true)
        _ = try await settle(1, .unaccepted, now: 10_000)
        if isAccepted { _ = try await settle(2, .alive, now: 10_001) }
        // That nothing is sent, or that Apple is silent, ends nothing.
        _ = try await settle(isAccepted ? 3 : 2, .none, now: 10_000 + 3 * Self.weekLength)
        let last = try await settle(isAccepted ? 4 : 3, .unaccepted, now: 10_000 + later)
        #expect((last.removedWith == nil) == isKept)
        #expect(try await (store.registry.device(id) != nil) == isKept)
        #expect(try store.checkBooks().problems == [])
    }

    @Test("A retry after a week is removed with its device, and counted once")
    func retryRemoved() async throws {
        _ = try await fixture.deviceWithDeliveries(2, onProbation: true)
        _ = try await settle(1, .unaccepted, next: .retry(at: 8_000, omitsPayload: false), now: 10)
        let result = try await settle(
            1, .unaccepted, next: .retry(at: 8_000, omitsPayload: false), now: 10 + Self.weekLength)
        #expect(result.removedWith == 2 && result.scheduled == nil)
        #expect(try await store.outbox.books().suppressedByReason == ["device_removed": 2])
        #expect(try store.checkBooks().problems == [])
    }

    @Test("One on probation can give way once it is a day old, the one that was renewed longest ago first")
    func givesWay() async throws {
        let day = Outbox.probationGrace
        func found(_ now: UInt64, near number: Int = 0) async throws -> DeviceID? {
            try await store.outbox.deviceToEvict(near: Sample.id(number), now: now)
        }
        #expect(try await found(day) == nil)
        try await fixture.register(Sample.device(1, at: 1_000))
        try await fixture.register(Sample.device(2, at: 3_000), onProbation: true)
        try await fixture.register(Sample.device(3, at: 2_000), onProbation: true)
        for number in 0...4 {
            #expect(try await found(day + 1_999, near: number) == nil)
            #expect(try await found(day + 2_000, near: number) == Sample.id(3))
            #expect(try await found(day + 3_000, near: number) == Sample.id(3))
        }
        try await store.outbox.noteAccepted(Sample.id(3))
        #expect(try await found(day + 2_999) == nil)
        #expect(try await found(day + 3_000) == Sample.id(2))
    }

    @Test("At the cap one on probation gives way to a new device; where none can, the new one is refused")
    func makesRoom() async throws {
        var limits = StoreLimits()
        limits.devices = 2
        let fixture = try StoreFixture(limits: limits)
        let store = fixture.store
        let day = Outbox.probationGrace
        func register(_ number: Int, at time: UInt64) async throws -> DeviceOutcome<Never> {
            try await store.registry.changeDevice(Sample.id(number)) { _ in .put(Sample.device(number, at: time)) }
        }
        try await fixture.register(Sample.device(1, at: 1_000))
        try await fixture.register(Sample.device(2, at: 2_000), onProbation: true)
        guard case .full = try await register(3, at: day + 1_999) else {
            Issue.record("a device of less than a day gave way")
            return
        }
        guard case .put(removed: [], let evicted) = try await register(3, at: day + 2_000) else {
            Issue.record("none gave way")
            return
        }
        #expect(evicted == RemovedDevice(id: Sample.id(2), deliveries: 0))
        #expect(try await store.registry.device(Sample.id(2)) == nil)
        #expect(try await store.registry.device(Sample.id(1)) != nil)
        #expect(try await store.registry.device(Sample.id(3)) != nil)
        // The new one is on probation, too, and younger than a day; the other is accepted.
        guard case .full = try await register(4, at: day + 3_000) else {
            Issue.record("an accepted device, or one of less than a day, gave way")
            return
        }
        #expect(try await store.totals().devices == 2)
        #expect(try store.checkBooks().problems == [])
    }

    @Test("A state that is lost comes back as that of an accepted token; a lane that is not its own is set right")
    func repaired() async throws {
        _ = try await fixture.deviceWithDeliveries(3, onProbation: true)
        try await store.write { (transaction) throws(StoreError) in
            var state = try transaction.deviceState(id)
            state.isAccepted = true
            state.waiting = 9
            transaction.put(.deviceStates, id.bytes, state.encoded)
        }
        #expect(try store.checkBooks().problemCount == 2)
        #expect(try await !store.repairIndexes(now: 9_000).changedNothing)
        #expect(try store.checkBooks().problems == [])
        let state = try await store.outbox.deviceState(id)
        #expect(state.waiting == 3 && state.scheduled?.lane == .ordinary)
        #expect(try await store.repairIndexes(now: 9_000).changedNothing)
    }
}
