import KasiaProtocol
import Kaspa
import Testing

@testable import Store

@Suite("Forgetting history", .timeLimit(.minutes(5)))
struct RetentionTests {
    private let fixture: StoreFixture
    private var store: Store { fixture.store }

    init() throws { fixture = try StoreFixture() }

    /// One round in slices of `rows`.
    @discardableResult
    private func round(_ limits: HistoryLimits, rows: Int = 3) async throws -> HistoryStep {
        var place: HistoryPlace? = .start
        var sum = HistoryStep()
        while let next = place {
            let step = try await store.history.forgetHistory(limits, at: next, rows: rows)
            #expect(step.rows <= rows)
            sum.add(step)
            place = step.next
        }
        #expect(try store.checkBooks().problems == [])
        return sum
    }

    /// Lets all bodies go from before `time`, whatever was queued.
    private func bodies(before time: UInt64, queuedBefore: UInt64 = .max) -> HistoryLimits {
        var limits = HistoryLimits()
        limits.bodiesBefore = time
        limits.queuedBefore = queuedBefore
        return limits
    }

    private func stored() throws -> Set<TransactionID> {
        Set(try StoreDump(store).keys(.operations).compactMap { Hash(bytes: $0) })
    }

    @Test("Without limits nothing goes, and with them nothing but operations, transfers, their lists and acceptances")
    func families() async throws {
        try await StoreHistory.write(to: store)
        let before = try StoreDump(store)
        #expect(try await round(HistoryLimits()).removed == 0)
        #expect(try StoreDump(store) == before)
        let sum = try await round(bodies(before: .max))
        let after = try StoreDump(store)
        let touched: Set<String> = ["operations", "operation_lists", "accepted", "transfers", "unconfirmed"]
        #expect(Set(before.differingFamilies(after)) == touched)
        // Two are asked for, and one payment waits for its correction.
        #expect(after[.operations].count == 3 && sum.operations + sum.neverAccepted == 49)
        #expect(after[.transfers].isEmpty && sum.transfers == 2)
        #expect(after[.groupBindings] == before[.groupBindings])
        #expect(after[.enqueued] == before[.enqueued] && after[.reverted] == before[.reverted])
    }

    @Test("Slices of any size forget the same", arguments: [1, 2, 7, 51, 52, 53, 1_000])
    func slices(_ rows: Int) async throws {
        try await StoreHistory.write(to: store)
        var limits = bodies(before: StoreHistory.start + 30_000)
        limits.acceptancesBelow = 505
        let sum = try await round(limits, rows: rows)
        #expect(sum.operations + sum.neverAccepted == 29 && sum.transfers == 0)
        #expect(try StoreDump(store)[.operations].count == 23)
    }

    @Test("A body goes when its block is older than the limit", arguments: [-1, 0, 1])
    func age(_ offset: Int) async throws {
        try await fixture.accept(1)
        let time = UInt64(Int(Sample.operation(1).blockTime) + offset)
        let goes = offset > 0
        #expect(try await round(bodies(before: time)).operations == (goes ? 1 : 0))
        let list = OperationList.contextualMessages(sender: Sample.address(1), alias: nil)
        #expect(try await (store.history.operation(Sample.transaction(1)) == nil) == goes)
        #expect(try await store.history.operations(in: list, limit: 9).isEmpty == goes)
        #expect(try StoreDump(store)[.accepted].isEmpty == goes)
    }

    @Test("What was queued at the limit or later stays whatever its age", arguments: [-1, 0, 1])
    func marker(_ offset: Int) async throws {
        try await fixture.accept(1, now: 5_000)
        let sum = try await round(bodies(before: .max, queuedBefore: UInt64(5_000 + offset)))
        #expect(sum.operations == (offset > 0 ? 1 : 0))
    }

    @Test("What was never accepted goes when its block is older than the limit, and only that", arguments: [-1, 0, 1])
    func neverAccepted(_ offset: Int) async throws {
        try await store.history.recordPending([Sample.operation(1, kind: .payment, receiver: Sample.address(2))])
        try await fixture.accept(2)
        try await fixture.accept(3)
        _ = try await store.history.apply(Sample.step(removed: [3], cursor: 2), now: 9, withdrawsUnsent: false)
        var limits = HistoryLimits()
        limits.queuedBefore = .max
        limits.neverAcceptedBefore = UInt64(Int(Sample.operation(1).blockTime) + offset)
        let goes = offset > 0
        #expect(try await round(limits).neverAccepted == (goes ? 1 : 0))
        #expect(try await (store.history.operation(Sample.transaction(1)) == nil) == goes)
        // Whoever followed it hears that it is gone.
        #expect((try await store.history.changes(after: 0, limit: 99).last?.kind == .removed) == goes)
        let list = OperationList.paymentsByReceiver(Sample.address(2))
        #expect(try await store.history.operations(in: list, limit: 9).isEmpty == goes)
        limits.neverAcceptedBefore = .max
        try await round(limits)
        #expect(try stored() == [Sample.transaction(2), Sample.transaction(3)])
    }

    @Test("An acceptance goes when its chain block is deeper than the limit, and only that", arguments: [-1, 0, 1])
    func acceptances(_ offset: Int) async throws {
        try await fixture.accept(4)
        try await fixture.accept(9)
        // As deep as a reorganisation may reach.
        let tip = 4 + offset + Int(History.reorganizationDepth)
        _ = try await store.history.apply(Sample.step(cursor: tip), now: 9, withdrawsUnsent: false)
        let before = try await store.history.operation(Sample.transaction(4))
        var limits = HistoryLimits()
        limits.acceptancesBelow = UInt64(Int(Sample.acceptance(4).blueScore) + offset)
        #expect(try await round(limits).acceptances == (offset > 0 ? 1 : 0))
        #expect(try await store.history.operation(Sample.transaction(4)) == before)
        // The younger one is taken back as ever.
        _ = try await store.history.apply(Sample.step(removed: [9], cursor: 8), now: 9, withdrawsUnsent: false)
        #expect(try await store.history.operation(Sample.transaction(9))?.isReverted == true)
        // The older one too, unless it is beyond reach.
        _ = try await store.history.apply(Sample.step(removed: [4], cursor: 3), now: 9, withdrawsUnsent: false)
        #expect(try await store.history.operation(Sample.transaction(4))?.isReverted == (offset <= 0))
        // With the chain fallen so low, an acceptance that was beyond reach is missed.
        #expect(try store.checkBooks().problems.count == (offset > 0 ? 1 : 0))
    }

    @Test("Read again after it went, a message is pushed to nobody a second time, and goes again")
    func readAgain() async throws {
        _ = try await fixture.deviceWithDeliveries(1)
        let limits = bodies(before: .max, queuedBefore: .max)
        // The same step while the marker is there.
        try await round(limits)
        #expect(try await fixture.accept(1).enqueued.isEmpty)
        #expect(try await store.history.operation(Sample.transaction(1)) != nil)
        // The marker goes when the message is too old to be pushed, and the reader says so.
        try await round(limits)
        try await store.outbox.pruneEnqueuedMarkers(before: .max, limit: 9, keepsUncorrected: false)
        let again = Sample.step(accepting: [Sample.operation(1, acceptedIn: 1)], notifies: false, cursor: 1)
        #expect(try await store.history.apply(again, now: 9, withdrawsUnsent: false).enqueued.isEmpty)
        #expect(try await store.outbox.books().eventsCreated == 1)
        #expect(try await round(limits).operations == 1)
        #expect(try stored().isEmpty)
    }

    @Test("A group stays with its first key when all its messages are gone")
    func groups() async throws {
        func message(_ number: Int, key: UInt8) -> AcceptedOperation {
            AcceptedOperation(
                operation: Sample.operation(number, acceptedIn: number), notifies: false,
                group: .init(
                    blindedGroupID: [UInt8](repeating: 1, count: 32),
                    senderPublicKey: [UInt8](repeating: key, count: 32)))
        }
        _ = try await store.history.apply(
            ChainStep(removed: [], accepted: [message(1, key: 1)], cursor: Sample.cursor(1)), now: 1,
            withdrawsUnsent: false)
        try await round(bodies(before: .max))
        let result = try await store.history.apply(
            ChainStep(removed: [], accepted: [message(2, key: 2)], cursor: Sample.cursor(2)), now: 1,
            withdrawsUnsent: false)
        #expect(result.foreignGroupMessages == 1 && result.accepted == 0)
    }

    @Test("A row that cannot be read stays, and the round goes on")
    func unreadable() async throws {
        for number in 1...3 { try await fixture.accept(number) }
        let damaged = try StoreDump(store).keys(.operations)[1]
        try await store.write { (transaction) throws(StoreError) in transaction.put(.operations, damaged, [9]) }
        var place: HistoryPlace? = .start
        while let next = place {
            place = try await store.history.forgetHistory(bodies(before: .max), at: next, rows: 2).next
        }
        #expect(try StoreDump(store).keys(.operations) == [damaged])
    }

    // MARK: What may go

    private static let day: UInt64 = 86_400_000

    private func follow(to blueScore: UInt64, at time: UInt64) async throws {
        try await store.history.resetCursor(
            to: ChainCursor(blockHash: Sample.block(1), daaScore: 1, blueScore: blueScore, timestamp: time))
    }

    @Test("Before the chain is followed nothing may go")
    func unfollowed() async throws {
        #expect(try await store.history.historyLimits(now: .max, retention: 1, maximumAge: 1) == nil)
        try await follow(to: .max, at: 0)
        #expect(try await store.history.historyLimits(now: .max, retention: 1, maximumAge: 1) == nil)
    }

    @Test("Ages count from the chain's time, or from now where that is earlier")
    func ages() async throws {
        let day = Self.day
        try await follow(to: 1_200_005, at: 100 * day)
        for now in [100 * day, 130 * day] {
            let limits = try #require(
                try await store.history.historyLimits(now: now, retention: 7 * day, maximumAge: 2 * day))
            #expect(limits.bodiesBefore == 93 * day)
            #expect(limits.neverAcceptedBefore == 99 * day)
            #expect(limits.acceptancesBelow == 5)
            #expect(limits.queuedBefore == 98 * day - 3_600_000)
        }
        let early = try #require(
            try await store.history.historyLimits(now: 90 * day, retention: 7 * day, maximumAge: day))
        #expect(early.bodiesBefore == 83 * day && early.neverAcceptedBefore == 89 * day)
        let longer = try #require(
            try await store.history.historyLimits(now: 100 * day, retention: day, maximumAge: 3 * day))
        #expect(longer.bodiesBefore == 97 * day)
        let all = try #require(try await store.history.historyLimits(now: 100 * day, retention: nil, maximumAge: day))
        #expect(all.bodiesBefore == 0)
        try await follow(to: 1_199_999, at: day - 1)
        let young = try #require(try await store.history.historyLimits(now: 100 * day, retention: day, maximumAge: day))
        #expect(young.acceptancesBelow == 0 && young.neverAcceptedBefore == 0 && young.bodiesBefore == 0)
    }

    @Test("What waits to be sent holds back what is not older than its block, until its time is over")
    func waiting() async throws {
        let id = try await fixture.deviceWithDeliveries(1)
        try await fixture.accept(2, now: 5_000)
        try await follow(to: 1, at: 100 * Self.day)
        func before(_ now: UInt64 = 99_000) async throws -> UInt64? {
            try await store.history.historyLimits(now: now, retention: 0, maximumAge: 0)?.bodiesBefore
        }
        let (first, second) = (Sample.operation(1).blockTime, Sample.operation(2).blockTime)
        // The delivery of 1 and the event of 2 wait; the delivery expires at 99,000.
        #expect(try await before(98_999) == first)
        #expect(try await before(99_000) == second && second < 99_000)
        try await fixture.fanOut(event: 2, expiresAt: 200_000)
        #expect(try await before(98_999) == first)
        #expect(try await before(199_999) == second)
        #expect(try await before(200_000) == 200_000)
        // Whatever is queued stays while it waits.
        try await round(bodies(before: try #require(try before(98_999))))
        #expect(try stored().count == 2)
        try await store.registry.removeDevice(id)
        #expect(try await before(98_999) == 98_999)
    }
}
